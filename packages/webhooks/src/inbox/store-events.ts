import { createByteCollector, isError } from '@wabakit/wire'
import { readColumn, type SqlDialect } from '../sql/sql-database.ts'
import { waitAtMost } from '../time-limit.ts'
import { createBatch } from './batch.ts'
import { type InboxValue, ignore, refuse, type Statement, toPlaceholders } from './engine.ts'
import { type Entries, setAsideStates } from './entries.ts'
import type { StoredEvent } from './stored-event.ts'
import type { InboxTable } from './table.ts'
import type { Worker } from './worker.ts'

/**
 * How long a statement is retried when the database does not respond, in milliseconds. The request gets its 503 after
 * `responseMs` (`sql-inbox.ts`) at the latest.
 */
const patienceMs = 8_000

/** Age at which unclaimed entries cause a warning, in milliseconds. */
const idleMs = 60_000

/** Time limit for proving that a commit commits, in milliseconds. */
const proofMs = 2_000

/** The columns that a duplicate of an event that was set aside replaces. */
const renewed = ['name', 'fact', 'subject', 'sent_at', 'headers', 'body']

/**
 * Returns the clause by which a duplicate replaces an event that was set aside. It is a function, so that bundles of programs without
 * an inbox do not contain it.
 */
const replaceSetAside = (dialect: SqlDialect): string => {
  const isMysql = dialect === 'mysql'
  const take = (column: string): string => (isMysql ? `VALUES(${column})` : `excluded.${column}`)
  const values = {
    ...Object.fromEntries(renewed.map((column) => [column, take(column)])),
    attempts: '0',
    due_at: take('due_at'),
    holds_until: 'NULL',
    reason: 'NULL',
    error: 'NULL',
    // MySQL assigns from left to right, and the earlier assignments read the state, so the state is the last one.
    state: "'stored'",
  }
  const set = Object.entries(values).map(
    ([name, value]) => `${name} = ${isMysql ? `IF(state IN (${setAsideStates}), ${value}, ${name})` : value}`,
  )
  return isMysql
    ? `ON DUPLICATE KEY UPDATE ${set.join(', ')}`
    : `ON CONFLICT (event_key) DO UPDATE SET ${set.join(', ')} WHERE known.state IN (${setAsideStates})`
}

const columns =
  'event_key, source, delivery_id, name, fact, subject, sent_at, headers, body, state, due_at, received_at'

const toRow = ({ key, source, deliveryId, name, fact, subject, sentAt, headers }: StoredEvent) =>
  [key, source, deliveryId, name, fact, subject, sentAt, headers] as const

const toValues = (events: readonly StoredEvent[], now: string): Statement => ({
  text: `VALUES ${events.map(() => `(?, ?, ?, ?, ?, ?, ?, ?, ?, 'stored', ${now}, ${now})`).join(', ')}`,
  values: events.flatMap((event) => [...toRow(event), event.body]),
})

/** Passes any number of rows as two values, because planning 64 rows of values takes as long as inserting them. */
const toDocument = (events: readonly StoredEvent[], now: string): Statement => {
  const bodies = createByteCollector()
  const rows = events.map((event) => {
    const row = [...toRow(event), bodies.length + 1, event.body.length]
    bodies.add(event.body)
    return row
  })
  return {
    text: `SELECT e->>0, e->>1, e->>2, e->>3, e->>4, e->>5, (e->>6)::bigint, e->>7,
      substring(?::bytea FROM (e->>8)::integer FOR (e->>9)::integer), 'stored', ${now}, ${now}
      FROM jsonb_array_elements(?::jsonb) e`,
    values: [bodies.toBytes(), JSON.stringify(rows)],
  }
}

/**
 * Creates the function that inserts events. It returns for each event whether it is new. Duplicates of events that were
 * set aside count as new.
 */
const createInsert = ({ table, engine: { dialect, run }, now }: InboxTable) => {
  const replacing = replaceSetAside(dialect)
  const readKeys = async (text: string, values: readonly InboxValue[]): Promise<Set<unknown>> =>
    new Set((await run(text, values)).rows.map((row) => readColumn(row, 'event_key')))

  return async (events: readonly StoredEvent[], announcement: string | undefined): Promise<boolean[]> => {
    const keys = events.map(({ key }) => key)
    const { text, values } = (dialect === 'postgresql' ? toDocument : toValues)(events, now())
    if (dialect === 'mysql') {
      // If two processes store duplicates at the same time, both may report a new event, but only one row is stored.
      const find = `SELECT event_key FROM ${table} WHERE event_key IN (${toPlaceholders(keys)}) AND state NOT IN (${setAsideStates})`
      const known = await readKeys(find, keys)
      await run(`INSERT INTO ${table} (${columns}) ${text} ${replacing}`, values)
      return keys.map((key) => !known.has(key))
    }
    const insert = `INSERT INTO ${table} AS known (${columns}) ${text} ${replacing} RETURNING event_key`
    const announced = `WITH added AS (${insert}) SELECT event_key, ${announcement} FROM added`
    const added = await readKeys(announcement === undefined ? insert : announced, values)
    return keys.map((key) => added.has(key))
  }
}

/** Creates the function that stores an event durably, and resolves to whether it is new. */
export const createStoring = (place: InboxTable, entries: Entries, worker: Worker) => {
  const { table, engine } = place
  const insert = createInsert(place)
  let isProven = false
  let checkedAt = performance.now()

  /** Warns if stored entries wait for long, probably because no process handles them. */
  const checkWorkers = async (): Promise<void> => {
    if (worker.isStarted() || performance.now() - checkedAt < idleMs) return
    checkedAt = performance.now()
    const waiting = await entries.readWaiting(idleMs)
    if (waiting === 0) return
    console.warn(
      `${waiting} events have waited in ${table} for more than a minute. ` +
        'Call receiver.start() in a process that keeps running, or receiver.drain() regularly.',
    )
  }

  /**
   * Proves once on PostgreSQL and MySQL that what is stored is committed, because a second connection sees it. A driver or a proxy may keep
   * statements in a transaction, such as one that a test rolls back.
   */
  const insertProven: typeof insert = async (events, announcement) => {
    const [first] = events
    if (isProven || first === undefined) return insert(events, announcement)
    // The query takes another connection while this one is held.
    const release = engine.hold()
    try {
      const added = await insert(events, announcement)
      const find = `SELECT id FROM ${table} WHERE event_key = ?`
      // If all other connections are busy, a later event proves it.
      const found = await waitAtMost(proofMs, () => engine.query(find, [first.key])).catch(ignore)
      if (found?.count === 0) {
        refuse(
          `A second connection does not see what was stored in ${table}, so it is not committed. ` +
            'Open a pool for the inbox whose sessions commit each statement.',
        )
      }
      isProven = found !== undefined
      return added
    } finally {
      await release()
    }
  }

  const storeBatch = async (events: readonly StoredEvent[]): Promise<readonly (boolean | Error)[]> => {
    // If this process has a free slot, its own worker is woken anyway, so other processes are not notified.
    const announcement = worker.isFree() ? undefined : engine.announcement
    const endsAt = performance.now() + patienceMs
    for (;;) {
      try {
        return await insertProven(events, announcement)
      } catch (error) {
        if (engine.isTransient(error) && performance.now() < endsAt) {
          await new Promise((resolve) => setTimeout(resolve, 200))
          continue
        }
        const failure = isError(error) ? error : new Error(String(error))
        if (events.length === 1) return [failure]
        // One of the events may have made the whole batch fail, so this stores them one by one.
        const outcomes: (boolean | Error)[] = []
        for (const event of events) outcomes.push(...(await storeBatch([event])))
        return outcomes
      }
    }
  }

  // Events are identified concurrently, and stored in the order of their arrival.
  const store = createBatch(async (identified: readonly Promise<StoredEvent>[]) => {
    const events = await Promise.all(identified)
    // In PostgreSQL, a statement cannot update a row that it has inserted, so each key may occur only once.
    const unique = new Map(events.map((event) => [event.key, event]))
    const outcomes = await storeBatch([...unique.values()])
    const results = new Map([...unique.keys()].map((key, index) => [key, outcomes[index]]))
    return events.map(({ key }) => {
      const outcome = results.get(key) ?? new Error('The event was not stored.')
      if (outcome === true) results.set(key, false)
      return outcome
    })
  })

  return async (event: Promise<StoredEvent>): Promise<boolean> => {
    const isNew = await store(event)
    if (isNew) worker.wake()
    void checkWorkers().catch(() => {})
    return isNew
  }
}
