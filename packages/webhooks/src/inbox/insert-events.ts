import { readColumn } from '../dedupe/sql-database.ts'
import type { InboxEngine, InboxValue, Outcome, Statement } from './engine.ts'
import type { StoredEvent } from './identify.ts'

/** The columns that a duplicate of a parked event replaces. */
const renewed = ['name', 'fact', 'subject', 'sent_at', 'headers', 'body']

// These are functions, so that bundles of programs without an inbox do not contain them.
const replaceParked = (): string => `ON CONFLICT (event_key) DO UPDATE
  SET ${renewed.map((column) => `${column} = excluded.${column}`).join(', ')},
  state = 'stored', attempts = 0, due_at = excluded.due_at, holds_until = NULL, reason = NULL, error = NULL
  WHERE known.state = 'parked'`

const replaceParkedOnMysql = (): string => {
  const values = {
    ...Object.fromEntries(renewed.map((column) => [column, `VALUES(${column})`])),
    ...{ attempts: '0', due_at: 'VALUES(due_at)', holds_until: 'NULL', reason: 'NULL', error: 'NULL' },
    // Assignments run from left to right, and the earlier ones read the state, so it comes last.
    state: "'stored'",
  }
  const set = Object.entries(values).map(
    ([name, value]) => `${name} = IF(state = 'parked', ${value}, ${name})`,
  )
  return `ON DUPLICATE KEY UPDATE ${set.join(', ')}`
}

const columns =
  'event_key, source, delivery_id, name, fact, subject, sent_at, headers, body, state, due_at, received_at'

const toRow = ({ key, source, deliveryId, name, fact, subject, sentAt, headers }: StoredEvent) => [
  ...[key, source, deliveryId ?? null, name ?? null, fact ?? null, subject ?? null],
  ...[sentAt?.getTime() ?? null, headers ?? null],
]

const toValues = (events: readonly StoredEvent[], now: string): Statement => ({
  text: `VALUES ${events.map(() => `(?, ?, ?, ?, ?, ?, ?, ?, ?, 'stored', ${now}, ${now})`).join(', ')}`,
  values: events.flatMap((event) => [...toRow(event), event.body]),
})

/**
 * Passes any number of rows as two values. PostgreSQL would take as long to plan 64 rows of values as to insert them.
 */
const toDocument = (events: readonly StoredEvent[], now: string): Statement => {
  const bodies = new Uint8Array(events.reduce((length, { body }) => length + body.length, 0))
  let position = 0
  const rows = events.map((event) => {
    bodies.set(event.body, position)
    const row = [...toRow(event), position + 1, event.body.length]
    position += event.body.length
    return row
  })
  return {
    text: `SELECT e->>0, e->>1, e->>2, e->>3, e->>4, e->>5, (e->>6)::bigint, e->>7,
      substring(?::bytea FROM (e->>8)::integer FOR (e->>9)::integer), 'stored', ${now}, ${now}
      FROM jsonb_array_elements(?::jsonb) e`,
    values: [bodies, JSON.stringify(rows)],
  }
}

/** Options for {@link createInsert}. */
type InsertOptions = {
  readonly table: string
  /** Returns the SQL expression for the current Unix time in milliseconds. */
  readonly now: () => string
}

/** Inserts events, and returns for each whether it is new. A duplicate of a parked one is new. */
export type Insert = (events: readonly StoredEvent[], announcement: string | undefined) => Promise<boolean[]>

/** Creates the function that inserts events, in one statement. */
export const createInsert = (
  { dialect, run }: Pick<InboxEngine<unknown, unknown>, 'dialect' | 'run'>,
  { table, now }: InsertOptions,
): Insert => {
  const readKeys = async (text: string, values: readonly InboxValue[]): Promise<Set<unknown>> => {
    const { rows }: Outcome = await run({ text, values })
    return new Set(rows.map((row) => readColumn(row, 'event_key')))
  }

  return async (events, announcement) => {
    const keys = events.map(({ key }) => key)
    const { text, values } = (dialect === 'postgresql' ? toDocument : toValues)(events, now())
    if (dialect === 'mysql') {
      // If two processes store duplicates at the same time, both report a new event, but only one row is stored.
      const find = `SELECT event_key FROM ${table} WHERE event_key IN (${keys.map(() => '?').join(', ')}) AND state <> 'parked'`
      const known = await readKeys(find, keys)
      await run({
        text: `INSERT INTO ${table} (${columns}) ${text} ${replaceParkedOnMysql()} RETURNING event_key`,
        values,
      })
      return keys.map((key) => !known.has(key))
    }
    const insert = `INSERT INTO ${table} AS known (${columns}) ${text} ${replaceParked()} RETURNING event_key`
    const announced = `WITH added AS (${insert}) SELECT event_key, ${announcement} FROM added`
    const added = await readKeys(announcement === undefined ? insert : announced, values)
    return keys.map((key) => added.has(key))
  }
}
