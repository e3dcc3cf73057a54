import type { DatabaseSync } from 'node:sqlite'
import type { Pool } from 'pg'
import { createBatch } from '../../../../packages/webhooks/src/inbox/batch.ts'
import { concurrency, type Event, type Queue } from './queue.ts'

/** The statements that a floor runs. */
type Statements = {
  readonly insert: (events: readonly Event[]) => Promise<unknown>
  readonly read: () => Promise<readonly { id: unknown; body: unknown }[]>
  readonly complete: (ids: readonly unknown[]) => Promise<unknown>
}

/** Creates a floor with one insert and one update, either per event or per batch. */
export const createFloor = ({ insert, read, complete }: Statements, per: 'event' | 'batch'): Queue => {
  const storeTogether = createBatch(async (events: readonly Event[]) => {
    await insert(events)
    return events.map(() => true)
  })
  return {
    store: per === 'batch' ? storeTogether : (event) => insert([event]),
    handleAll: async (handled) => {
      for (;;) {
        const rows = await read()
        if (rows.length === 0) return
        for (const row of rows) {
          JSON.parse(String(row.body))
          handled()
        }
        const ids = rows.map(({ id }) => id)
        if (per === 'batch') await complete(ids)
        else await Promise.all(ids.map((id) => complete([id])))
      }
    },
  }
}

export const createPostgresStatements = async (pool: Pool): Promise<Statements> => {
  await pool.query(
    `CREATE TABLE inbox (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text UNIQUE, body bytea, state text)`,
  )
  await pool.query(`CREATE INDEX ON inbox (state, n)`)
  return {
    insert: (events) =>
      pool.query(
        `INSERT INTO inbox (id, body, state) VALUES ${events.map((_, index) => `($${2 * index + 1}, $${2 * index + 2}, 'stored')`).join(', ')} ON CONFLICT DO NOTHING`,
        events.flatMap(({ id, body }) => [id, Buffer.from(body)]),
      ),
    read: async () =>
      (
        await pool.query(
          `SELECT n AS id, body FROM inbox WHERE state = 'stored' ORDER BY n LIMIT ${concurrency}`,
        )
      ).rows,
    complete: (rows) => pool.query(`UPDATE inbox SET state = 'handled' WHERE n = ANY($1)`, [rows]),
  }
}

export const createSqliteStatements = (database: DatabaseSync): Statements => {
  database.exec('CREATE TABLE inbox (n INTEGER PRIMARY KEY, id TEXT UNIQUE, body BLOB, state TEXT)')
  database.exec('CREATE INDEX due ON inbox (state, n)')
  const read = database.prepare(
    `SELECT n AS id, CAST(body AS TEXT) AS body FROM inbox WHERE state = 'stored' ORDER BY n LIMIT ${concurrency}`,
  )
  return {
    insert: async (events) =>
      database
        .prepare(
          `INSERT INTO inbox (id, body, state) VALUES ${events.map(() => `(?, ?, 'stored')`).join(', ')} ON CONFLICT DO NOTHING`,
        )
        .run(...events.flatMap(({ id, body }) => [id, Buffer.from(body)])),
    read: async () => read.all().map(({ id, body }) => ({ id, body })),
    complete: async (rows) =>
      database
        .prepare(`UPDATE inbox SET state = 'handled' WHERE n IN (${rows.map(Number).join(', ')})`)
        .run(),
  }
}
