import { uptime } from 'node:os'
import { type Clock, memoryStore, type Store, type TokenBuckets } from '@wabakit/core'
import { type ClockSources, createServiceClock } from '@wabakit/core/hosting'
import { formatAddress } from '../stores/postgres/database-address.ts'
import { continueClock } from '../stores/sqlite/continued-clock.ts'
import { openDatabase } from '../stores/sqlite/open-database.ts'
import { storeOnDatabase } from '../stores/sqlite/sqlite-store.ts'
import { watchWrites } from '../stores/watch-writes.ts'

/** A store, and the parts that several processes need to share it. */
export type OpenedStore = {
  readonly store: Store
  /** A clock that continues the time of a database, and ignores steps of the machine's clock. */
  readonly clock: Clock
  /** Shared rate limits; `undefined` when a single process uses the store. */
  readonly buckets: TokenBuckets | undefined
}

type OpenStoreOptions = {
  /** Receives errors of background work, such as a broken connection. */
  readonly onError: (error: unknown) => void
  /** Receives warnings for the operator, such as a warning that other users can read the file. */
  readonly onWarning: (message: string) => void
}

/** The sources of the clock. On Linux, performance.now() does not advance while the machine is suspended. */
const sources = process.platform === 'linux' ? { uptime: () => uptime() * 1_000 } : {}

const describeStep = (stepMs: number): string =>
  `The clock of this machine was set ${stepMs > 0 ? 'forward' : 'back'} by ${Math.round(Math.abs(stepMs) / 1_000)} s. Due times, leases and retention continue without the step.`

/** Loads the PostgreSQL client only when it is needed, so that a start on SQLite stays fast. */
const openPostgresStore = async (
  url: string,
  options: OpenStoreOptions & ClockSources,
): Promise<OpenedStore> => {
  const [{ openPostgres }, { postgresStore }, { postgresTokenBuckets }] = await Promise.all([
    import('../stores/postgres/open-postgres.ts'),
    import('../stores/postgres/postgres-store.ts'),
    import('../stores/postgres/token-leases.ts'),
  ])
  const database = await openPostgres({ url, ...options })
  const [row] = await database.read<{ now: number }>('SELECT wabakit.clock_ms()::double precision AS now')
  return {
    store: watchWrites(postgresStore(database)),
    clock: createServiceClock({ ...options, startAt: row?.now }),
    buckets: postgresTokenBuckets(database),
  }
}

const openSqliteStore = (path: string, options: OpenStoreOptions & ClockSources): OpenedStore => {
  const opened = openDatabase(path, options.onWarning)
  const { clock, close } = continueClock(opened, options)
  return { store: storeOnDatabase({ ...opened, close }), clock, buckets: undefined }
}

export const isPostgres = (database: string): boolean => /^postgres(?:ql)?:\/\//.test(database)

export const nameEngine = (database: string): 'memory' | 'sqlite' | 'postgresql' => {
  if (isPostgres(database)) return 'postgresql'
  return database === ':memory:' ? 'memory' : 'sqlite'
}

export const formatDatabase = (database: string): string =>
  isPostgres(database) ? formatAddress(database) : database

/**
 * Opens the store named by a `database` setting: a SQLite file, a PostgreSQL database, or memory (`:memory:`).
 *
 * @throws DatabaseOpenError, DatabaseVersionError or DatabaseInUseError when it cannot be opened.
 */
export const openStore = async (database: string, options: OpenStoreOptions): Promise<OpenedStore> => {
  const clockOptions = { ...sources, onStep: (stepMs: number) => options.onWarning(describeStep(stepMs)) }
  if (isPostgres(database)) return openPostgresStore(database, { ...options, ...clockOptions })
  if (database !== ':memory:') return openSqliteStore(database, { ...options, ...clockOptions })
  const clock = createServiceClock(clockOptions)
  return { store: memoryStore(), clock, buckets: undefined }
}
