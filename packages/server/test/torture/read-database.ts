import { DatabaseSync } from 'node:sqlite'

/** What a database holds, as far as the checker asks. */
export type Contents = {
  readonly groupIds: ReadonlySet<string>
  /** Recaps by call. */
  readonly summaries: ReadonlyMap<string, string>
  /** In the order they happened. */
  readonly events: readonly {
    readonly id: string
    readonly name: string
    readonly subject: string
    readonly payload: string
  }[]
  readonly deliveries: readonly { readonly eventId: string; readonly status: string }[]
}

const readSqlite = (path: string): Contents => {
  const database = new DatabaseSync(path, { readOnly: true })
  const all = (sql: string) => database.prepare(sql).all()
  const contents: Contents = {
    groupIds: new Set(all('select clientCustomGroupId as id from groups').map(({ id }) => String(id))),
    summaries: new Map(
      all("select callId, summary ->> 'recap' as recap from summaries").map(({ callId, recap }) => [
        String(callId),
        String(recap),
      ]),
    ),
    events: all('select id, name, subject, payload from events order by seq').map((row) => ({
      id: String(row.id),
      name: String(row.name),
      subject: String(row.subject),
      payload: String(row.payload),
    })),
    deliveries: all('select e.id, d.status from deliveries d join events e on e.seq = d.event').map(
      (row) => ({
        eventId: String(row.id),
        status: String(row.status),
      }),
    ),
  }
  database.close()
  return contents
}

/** Reads a database by SQL of its own. */
export const readDatabase = async (database: string): Promise<Contents> => readSqlite(database)
