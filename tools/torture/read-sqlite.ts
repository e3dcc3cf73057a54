import { DatabaseSync } from 'node:sqlite'
import type { Contents } from './contents.ts'

/** Reads a SQLite file with its own SQL. */
export const readSqlite = (path: string): Contents => {
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
    events: all(
      "select id, name, subject, payload from events where channel <> 'OPERATIONS' order by position",
    ).map((row) => ({
      id: String(row.id),
      name: String(row.name),
      subject: String(row.subject),
      payload: String(row.payload),
    })),
    health: all("select payload from events where channel = 'OPERATIONS' order by position").map(
      ({ payload }) => JSON.parse(String(payload)),
    ),
    reported: new Map(
      all('select id, isReported from subscriptions').map((row) => [String(row.id), row.isReported === 1]),
    ),
    deliveries: all(
      `select e.id, d.state as status, d.attempts, count(a.number) as recorded, coalesce(sum(a.succeeded), 0) as succeeded
       from deliveries d join events e on e.position = d.event
       left join attempts a on a.event = d.event and a.subscription = d.subscription
       group by d.event, d.subscription`,
    ).map((row) => ({
      eventId: String(row.id),
      shard: null,
      status: String(row.status),
      attempts: Number(row.attempts),
      recorded: Number(row.recorded),
      succeeded: Number(row.succeeded),
    })),
    figures: all('select subscriptionId, counts from figures').map((row) => ({
      subscriptionId: String(row.subscriptionId),
      counts: JSON.parse(String(row.counts)),
    })),
    log: [],
  }
  database.close()
  return contents
}
