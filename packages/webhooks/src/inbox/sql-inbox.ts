import { toBytes, type WebhookPayload } from '../bytes.ts'
import { WebhookUsageError } from '../errors.ts'
import type {
  AcceptOptions,
  Inbox,
  InboxContext,
  InboxDelivery,
  InboxHost,
  StoreDelivery,
  StoreOutcome,
} from '../receiver/inbox.ts'
import type { InboxEntry, ParkedReason } from '../receiver/inbox-entries.ts'
import { readProperty, type SqlDialect } from '../sql/sql-database.ts'
import { toStoredMs, waitAtMost } from '../time-limit.ts'
import {
  assertAboveZero,
  assertFunction,
  assertNames,
  assertOptions,
  assertTableName,
  assertWhole,
  assertZeroOrMore,
} from '../usage.ts'
import { acceptOnly } from './accept-only.ts'
import { type InboxEngine, refuse } from './engine.ts'
import { type ConnectionOf, createMysqlEngine } from './engines/mysql.ts'
import type { MysqlPool } from './engines/mysql-statements.ts'
import { type ClientOf, createPostgresEngine, type PostgresPool } from './engines/postgresql.ts'
import { createSqliteEngine, type SqliteConnection } from './engines/sqlite.ts'
import { createEntries } from './entries.ts'
import { createManagement, createUnpark } from './manage-entries.ts'
import { probeDriver } from './probe-driver.ts'
import { createReconcile } from './reconcile.ts'
import { createSetback } from './steady-time.ts'
import { createStoring } from './store-events.ts'
import { toStoredEvent } from './stored-event.ts'
import { createTableFirst, defaultTable, type InboxTable, inboxSyntaxes } from './table.ts'
import { createWorker } from './worker.ts'

const day = 86_400_000

/** Time limit for storing a webhook, in milliseconds. Senders wait about 15 s. */
const responseMs = 12_000

/** What to do about a parked entry. */
const remedies: Readonly<Record<ParkedReason, string>> = {
  drifted: 'Handle it with onDrift().',
  unknown: 'Handle it with onUnknown().',
  failed: 'Retry it when its cause is gone.',
  unreadable: 'Look at it with show().',
}

const refuseLate = (): never => {
  throw new Error(`The event was not stored within ${responseMs} ms.`)
}

/** Options for {@link sqlInbox}. */
export type SqlInboxOptions = {
  /**
   * Name of the table, optionally with its schema. It is created if it does not exist; {@link sqlInboxTable}
   * returns the statements for your migrations.
   * @default 'wabakit_inbox'
   */
  readonly table?: string | undefined
  /**
   * Maximum number of entries that one process handles concurrently. At most half of these entries (rounded
   * up) are retries.
   * @default 10
   */
  readonly concurrency?: number | undefined
  /**
   * Number of attempts after which an entry is parked.
   * @default 20 (about 4 hours)
   */
  readonly maxAttempts?: number | undefined
  /**
   * Interval at which an idle process looks for entries, in milliseconds.
   * @default 1_000
   */
  readonly pollMs?: number | undefined
  /** How long entries are kept. */
  readonly retention?: InboxRetention | undefined
  /**
   * How to treat an event without a handler: `keep` makes it `unhandled` until a handler takes it, or parks it if this
   * version does not know it; `discard` forgets its body, which may be personal data, and recognizes
   * duplicates. Events that have drifted or cannot be read are parked in either case.
   * @default 'keep'
   */
  readonly unhandled?: 'keep' | 'discard' | undefined
  /**
   * Called with each entry after this process has parked it, unless the process or its connection fails right then. Errors
   * that it throws are reported to `onError`.
   * @default prints one line
   */
  readonly onParked?: ((entry: InboxEntry) => unknown) | undefined
  /**
   * The clock for tests, such as `mock.clock`, in milliseconds since the epoch.
   * @default the database's clock
   */
  readonly clock?: { now(): number } | undefined
}

/** How long an inbox keeps entries, their bodies and their keys, in milliseconds. */
export type InboxRetention = {
  /**
   * How long bodies of handled entries are kept. With 0, they are deleted on completion.
   * @default 604_800_000 (7 days)
   */
  readonly handledBodyMs?: number | undefined
  /**
   * How long bodies of unhandled, parked and suppressed entries are kept. After that, these entries cannot be retried.
   * @default 2_592_000_000 (30 days)
   */
  readonly parkedBodyMs?: number | undefined
  /**
   * How long the rest of an entry is kept after its body was deleted. Until then, duplicates are recognized.
   * @default 2_592_000_000 (30 days)
   */
  readonly keyMs?: number | undefined
}

const isMysql = (database: object): database is MysqlPool => 'getConnection' in database
const isSqlite = (database: object): database is SqliteConnection => 'prepare' in database

const supported = 'a pool of pg or mysql2/promise, or a database of node:sqlite or better-sqlite3'

const createEngine = (database: PostgresPool | SqliteConnection | MysqlPool, table: string) => {
  if (Object(database) !== database) refuse(`sqlInbox() needs ${supported}.`)
  const methods = isSqlite(database)
    ? ['exec']
    : isMysql(database)
      ? ['getConnection', 'execute']
      : ['connect', 'query']
  const missing = methods.find((method) => typeof readProperty(database, method) !== 'function')
  if (missing !== undefined) refuse(`sqlInbox() needs ${supported}. This object has no ${missing}().`)
  // A client has the methods of a pool, but connects only once.
  if ('processID' in database) refuse(`sqlInbox() needs ${supported}. This is a single client of pg.`)
  if (isSqlite(database)) return createSqliteEngine(database)
  return isMysql(database) ? createMysqlEngine(database, table) : createPostgresEngine(database, table)
}

/**
 * Stores received events in a table of PostgreSQL, SQLite, MySQL or MariaDB before the response, and handles
 * them afterwards: in order per call and group, with retries, in any number of processes. Later events overtake one that has
 * failed for five minutes. The table is created when it is first used.
 *
 * The database is a pool of `pg` or `mysql2/promise` with at least 3 connections, or a database of
 * `node:sqlite` or `better-sqlite3`. It is never closed.
 *
 * @throws WebhookUsageError for an unknown or invalid option, an unsuitable pool, or a `dialect` that does not match the
 *   database.
 * @throws RangeError when `table` is not a plain identifier (with or without a schema), or a limit or a time is out of bounds.
 * @example
 * const receiver = createReceiver({ verify, inbox: sqlInbox(pool) }).on('CALL_AI_SUMMARY', async (event, { transaction }) => {
 *   const client = await transaction()
 *   await client.query('INSERT INTO summaries (call_id, recap) VALUES ($1, $2)', [event.callId, event.summary.recap])
 * })
 * receiver.start()
 */
export function sqlInbox<Pool extends PostgresPool>(
  pool: Pool,
  options?: SqlInboxOptions & { readonly dialect?: 'postgresql' | undefined },
): Inbox<InboxContext<ClientOf<Pool>>>
export function sqlInbox<Database extends SqliteConnection>(
  database: Database,
  options?: SqlInboxOptions & { readonly dialect?: 'sqlite' | undefined },
): Inbox<InboxContext<never, Database>>
export function sqlInbox<Pool extends MysqlPool>(
  pool: Pool,
  options?: SqlInboxOptions & { readonly dialect?: 'mysql' | undefined },
): Inbox<InboxContext<ConnectionOf<Pool>>>
export function sqlInbox(
  database: PostgresPool | SqliteConnection | MysqlPool,
  options: SqlInboxOptions & { readonly dialect?: SqlDialect | undefined } = {},
): unknown {
  assertOptions('sqlInbox()', options, [
    'table',
    'dialect',
    'concurrency',
    'maxAttempts',
    'pollMs',
    'retention',
    'unhandled',
    'onParked',
    'clock',
  ])
  const { concurrency = 10, maxAttempts = 20, pollMs = 1_000, unhandled = 'keep', onParked, clock } = options
  const { table = defaultTable, retention = {} } = options
  assertOptions('retention', retention, ['handledBodyMs', 'parkedBodyMs', 'keyMs'])
  const { handledBodyMs = 7 * day, parkedBodyMs = 30 * day, keyMs = 30 * day } = retention
  for (const [name, value] of Object.entries({ concurrency, maxAttempts })) assertWhole(name, value)
  for (const [name, value] of Object.entries({ pollMs, parkedBodyMs, keyMs })) assertAboveZero(name, value)
  assertZeroOrMore('handledBodyMs', handledBodyMs)
  assertNames('a value of unhandled', { names: [unhandled], known: ['keep', 'discard'] })
  if (onParked !== undefined) assertFunction('onParked', onParked)
  assertTableName(table)
  const driver = createEngine(database, table) as InboxEngine
  const create = async (text: string): Promise<void> => {
    await driver.create(text)
    await probeDriver(driver)
  }
  const engine = createTableFirst({ ...driver, create }, table)
  const { dialect = engine.dialect } = options
  if (dialect !== engine.dialect) {
    throw new WebhookUsageError(`The dialect is ${dialect}, but this is a ${engine.dialect} database.`)
  }
  const readSetback = createSetback()
  const readDatabaseTime = (): string => {
    const time = inboxSyntaxes[dialect].now
    // SQLite reads the clock of this machine, which may be set back. Database servers have clocks of their own.
    const setbackMs = dialect === 'sqlite' ? readSetback() : 0
    return setbackMs === 0 ? time : `(${time} + ${setbackMs})`
  }
  const now = () => (clock === undefined ? readDatabaseTime() : String(Math.round(clock.now())))
  const kept = {
    handledBodyMs: toStoredMs(handledBodyMs),
    parkedBodyMs: toStoredMs(parkedBodyMs),
    keyMs: toStoredMs(keyMs),
  }
  const place: InboxTable = { table, engine, retention: kept, now }
  const entries = createEntries(place)
  const management = createManagement(place)

  const attach = (host: InboxHost<InboxContext<unknown, unknown>>) => {
    const { maxBodyBytes } = host
    const worker = createWorker({
      ...host,
      claimTtlMs: toStoredMs(host.claimTtlMs),
      engine,
      entries,
      concurrency,
      maxAttempts,
      pollMs,
      unhandled,
      warnIfWeak: async () => {
        const weakness = await engine.findWeakness()
        if (weakness === undefined) return
        console.warn(
          `With ${weakness}, the database of ${table} acknowledges before it syncs. A power failure can lose events that got a 200.`,
        )
      },
      unpark: createUnpark(place, { ...host, retry: management.retry }),
      onParked: async ({ id, name }, { reason, error }) => {
        if (onParked === undefined) {
          const entry = `Entry ${id} of ${table}${name === undefined ? '' : ` (${name})`}`
          const cause = error ? `${reason}: ${error}` : reason
          console.error(
            `${entry} was parked (${cause}). ${remedies[reason]} Pass onParked to replace this line.`,
          )
          return
        }
        const entry = await management.show(id)
        if (entry !== undefined) await onParked(entry)
      },
    })
    const { start, stop, drain, wake } = worker
    const storeEvent = createStoring(place, entries, worker)
    const store = async (delivery: InboxDelivery): Promise<StoreOutcome> =>
      (await storeEvent(toStoredEvent(delivery, maxBodyBytes))) ? 'stored' : 'duplicate'
    let parserWasReported = false
    const storeOrReport: StoreDelivery = async (delivery) => {
      if (delivery.bodyWasParsed && !parserWasReported) {
        parserWasReported = true
        // The warning follows the first webhook that the parser accepted, because the receiver never sees
        // those that the parser rejects.
        console.warn(
          'A body parser runs before the receiver. Webhooks that it refuses, such as bodies above its limit, are lost. ' +
            'Mount the receiver before any body parser.',
        )
      }
      try {
        return await waitAtMost(responseMs, () => store(delivery), refuseLate)
      } catch (error) {
        const { headers = new Headers() } = delivery
        await host.report(error, { stage: 'inbox', headers, context: undefined })
        return 'unavailable'
      }
    }
    const accept = async (body: WebhookPayload, acceptOptions: AcceptOptions = {}) => {
      assertOptions('accept()', acceptOptions, ['id', 'source'])
      const { id, source = 'accepted' } = acceptOptions
      for (const [name, value] of Object.entries({ id, source })) {
        if (value !== undefined && typeof value !== 'string')
          throw new WebhookUsageError(`The ${name} must be a string.`)
      }
      return store({ id: id || undefined, source, body: toBytes(body) })
    }
    const reconcile = createReconcile(place, { ...host, entries, wake })
    return { store: storeOrReport, methods: { start, stop, drain, accept, reconcile } }
  }
  return { ...management, acceptOnly, attach }
}
