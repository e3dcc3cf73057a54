import { memoryStore, type Store, type TokenBuckets } from '@wabakit/core'
import type { AttemptFeed } from '../stores/postgres/attempt-feed.ts'
import { formatAddress } from '../stores/postgres/database-address.ts'
import { sqliteStore } from '../stores/sqlite/sqlite-store.ts'

/** A store, and what comes with it when processes share it. */
export type OpenedStore = {
  readonly store: Store
  /** Shared rate limits; `undefined` when a single process uses the store. */
  readonly buckets: TokenBuckets | undefined
  /** The attempts of other processes; `undefined` when a single process uses the store. */
  readonly attempts: AttemptFeed | undefined
}

type OpenStoreOptions = {
  /** Receives errors of background work, such as a broken connection. */
  readonly onError: (error: unknown) => void
  /** Receives warnings for the operator, such as that other users can read the file. */
  readonly onWarning: (message: string) => void
}

/** Loads the PostgreSQL client only when it is needed, so that a start on SQLite stays fast. */
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

/** Checks whether a `database` setting is the URL of a PostgreSQL database. */
export const isPostgres = (database: string): boolean => /^postgres(?:ql)?:\/\//.test(database)

/** Formats a `database` setting for people, without its password. */
export const formatDatabase = (database: string): string =>
  isPostgres(database) ? formatAddress(database) : database

/**
 * Opens the SQLite file, the PostgreSQL database or the memory (`:memory:`) that a `database` setting names.
 *
 * @throws DatabaseOpenError, DatabaseVersionError or DatabaseInUseError when it cannot be opened.
 */
export const openStore = async (database: string, options: OpenStoreOptions): Promise<OpenedStore> => {
  if (isPostgres(database)) return openPostgresStore(database, options)
  const { onWarning } = options
  return {
    store: database === ':memory:' ? memoryStore() : sqliteStore({ path: database, onWarning }),
    buckets: undefined,
    attempts: undefined,
  }
}
