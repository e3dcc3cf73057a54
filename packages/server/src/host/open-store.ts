import { memoryStore, type Store, type TokenBuckets } from '@wabakit/core'
import type { AttemptFeed } from '../stores/postgres/attempt-feed.ts'
import { sqliteStore } from '../stores/sqlite/sqlite-store.ts'

/** Where a server keeps everything. */
export type OpenedStore = {
  readonly store: Store
  /** Where its rate limits are counted; `undefined` for in memory, where one process has the store to itself. */
  readonly buckets: TokenBuckets | undefined
  /** How processes that share it show each other their attempts; `undefined` where there is one process. */
  readonly attempts: AttemptFeed | undefined
}

/** Loads the client of PostgreSQL, which a start on SQLite need not wait for. */
const openPostgresStore = async (url: string, options: OpenStoreOptions): Promise<OpenedStore> => {
  const [{ openPostgres }, { postgresStore }, { postgresTokenBuckets }] = await Promise.all([
    import('../stores/postgres/open-postgres.ts'),
    import('../stores/postgres/postgres-store.ts'),
    import('../stores/postgres/postgres-token-buckets.ts'),
  ])
  const database = await openPostgres({ url, ...options })
  const { attempts } = database
  return { store: postgresStore(database), buckets: postgresTokenBuckets(database), attempts }
}

/** Options of {@link openStore}. */
export type OpenStoreOptions = {
  /** Gets what went wrong in the background, such as a connection that broke. */
  readonly onError: (error: unknown) => void
  /** Gets what the operator should know, such as that other users can read the file. */
  readonly onWarning: (message: string) => void
}

/** Tells whether a `database` setting names a PostgreSQL database. */
export const isPostgres = (database: string): boolean => /^postgres(?:ql)?:\/\//.test(database)

/**
 * Opens the store that a `database` setting names: a SQLite file, a PostgreSQL database, or `:memory:`.
 *
 * @throws DatabaseOpenError, DatabaseVersionError or DatabaseInUseError when it cannot be opened.
 */
export const openStore = async (database: string, options: OpenStoreOptions): Promise<OpenedStore> => {
  const { onWarning } = options
  if (isPostgres(database)) return openPostgresStore(database, options)
  return {
    store: database === ':memory:' ? memoryStore() : sqliteStore({ path: database, onWarning }),
    buckets: undefined,
    attempts: undefined,
  }
}
