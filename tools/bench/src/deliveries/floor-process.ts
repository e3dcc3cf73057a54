import { createHmac } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { Pool as PgPool } from 'pg'
import { Pool } from 'undici'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { connections, readSettings, secret } from './settings.ts'

// The minimum work for durable deliveries. Each row is read, signed with node:crypto, sent with undici's `dispatch`,
// and settled with a delete and an insert. Concurrent deliveries share a commit. `fill` stores a backlog,
// and `release` delivers it. `store` stores events, with two inserts each, and delivers them. The inserts share the
// commits of settlements.
type Row = { readonly id: number; readonly payload: string }

type Database = {
  commit(settled: readonly number[], published: number): unknown
  /** Reads the deliveries whose ids are higher than `after`. */
  read(after: number, limit: number): Row[] | Promise<Row[]>
}

const openSqlite = (path: string): Database => {
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096;
    CREATE TABLE events (id INTEGER PRIMARY KEY, payload TEXT);
    CREATE TABLE queue (event INTEGER PRIMARY KEY);
    CREATE TABLE delivered (event INTEGER PRIMARY KEY, status INTEGER)`)
  const insertEvent = database.prepare('INSERT INTO events (payload) VALUES (?)')
  const insertDelivery = database.prepare('INSERT INTO queue VALUES (?)')
  const remove = database.prepare('DELETE FROM queue WHERE event = ?')
  const insertResult = database.prepare('INSERT INTO delivered VALUES (?, 200)')
  const select = database.prepare(
    'SELECT id, payload FROM queue JOIN events ON id = event WHERE event > ? ORDER BY event LIMIT ?',
  )
  return {
    commit: (settled, published) => {
      database.exec('BEGIN')
      for (const id of settled) {
        remove.run(id)
        insertResult.run(id)
      }
      for (let index = 0; index < published; index += 1)
        insertDelivery.run(insertEvent.run(payload).lastInsertRowid)
      database.exec('COMMIT')
    },
    read: (after, limit) =>
      select.all(after, limit).map((row) => ({ id: Number(row.id), payload: String(row.payload) })),
  }
}

const openPostgres = async (url: string): Promise<Database> => {
  // Without these options, PostgreSQL may scan whole tables, because it has no statistics yet.
  const options = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'
  const pool = new PgPool({ connectionString: url, max: 1, options })
  await pool.query(`
    CREATE TABLE events (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text);
    CREATE TABLE queue (event integer PRIMARY KEY);
    CREATE TABLE delivered (event integer PRIMARY KEY, status integer)`)
  const commit = `
    WITH removed AS (DELETE FROM queue WHERE event = ANY ($1::integer[])),
    settled AS (INSERT INTO delivered SELECT unnest($1::integer[]), 200),
    added AS (INSERT INTO events (payload) SELECT $3 FROM generate_series(1, $2::integer) RETURNING id)
    INSERT INTO queue SELECT id FROM added`
  const select =
    'SELECT id, payload FROM queue JOIN events ON id = event WHERE event > $1 ORDER BY event LIMIT $2'
  return {
    commit: (settled, published) =>
      pool.query({ name: 'commit', text: commit, values: [settled, published, payload] }),
    read: async (after, limit) =>
      (await pool.query<Row>({ name: 'read', text: select, values: [after, limit] })).rows,
  }
}

const { database: address, endpoint } = readSettings()
const database = address.startsWith('postgres') ? await openPostgres(address) : openSqlite(address)
const pool = new Pool(endpoint, { connections })
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
let last = 0

const sign = (id: number, body: string): Record<string, string> => {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', key).update(`evt_${id}.${timestamp}.`).update(body).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': `evt_${id}`,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

const send = ({ id, payload: body }: Row, end: (id: number) => void): void => {
  let status = 0
  pool.dispatch(
    { path: '/', method: 'POST', headers: sign(id, body), body },
    {
      onRequestStart: () => {},
      onResponseStart: (_, received) => {
        status = received
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        if (status !== 200) throw new Error(`The endpoint responded with ${status}.`)
        end(id)
      },
      onResponseError: (_, error) => {
        throw error
      },
    },
  )
}

/** Delivers `times` rows. `stored` of them are already in the queue. Stores the others, up to 64 per commit. */
const deliver = async (times: number, stored: number): Promise<void> => {
  let toPublish = times - stored
  let sending = 0
  let settled = 0
  let finished: number[] = []
  let wake = (): void => {}
  while (settled < times) {
    const done = finished
    finished = []
    const published = Math.min(toPublish, connections)
    if (done.length > 0 || published > 0) await database.commit(done, published)
    toPublish -= published
    settled += done.length
    const rows = sending < connections ? await database.read(last, connections - sending) : []
    for (const row of rows) {
      last = row.id
      sending += 1
      send(row, (id) => {
        sending -= 1
        finished.push(id)
        wake()
      })
    }
    if (finished.length === 0 && sending > 0) await new Promise<void>((resolve) => (wake = resolve))
    // Lets attempts that end at the same time share a commit.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

let filled = 0
serveCommands({
  fill: (times) => {
    filled = times
    return database.commit([], times)
  },
  release: () => deliver(filled, filled),
  store: (times) => deliver(times, 0),
})
