import { memoryStore, type Store, type TokenBuckets } from '@wabakit/core'
import { openPostgres } from '../postgres/open-postgres.ts'
import { postgresStore } from '../postgres/postgres-store.ts'
import { postgresTokenBuckets } from '../postgres/postgres-token-buckets.ts'
import { sqliteStore } from '../sqlite/sqlite-store.ts'

/** Where a server keeps everything. */
export type OpenedStore = {
  readonly store: Store
  /** Where its rate limits are counted; `undefined` for in memory, where one process has the store to itself. */
  readonly buckets: TokenBuckets | undefined
}

/** Options of {@link openStore}. */
export type OpenStoreOptions = {
  /** Gets what went wrong in the background, such as a connection that broke. */
  readonly onError: (error: unknown) => void
}

/** Tells whether a `database` setting names a PostgreSQL database. */
export const isPostgres = (database: string): boolean => /^postgres(?:ql)?:\/\//.test(database)

/**
 * Opens the store that a `database` setting names: a SQLite file, a PostgreSQL database, or `:memory:`.
 *
 * @throws DatabaseOpenError, DatabaseVersionError or DatabaseInUseError when it cannot be opened.
 */
export const openStore = async (database: string, { onError }: OpenStoreOptions): Promise<OpenedStore> => {
  if (database === ':memory:') return { store: memoryStore(), buckets: undefined }
  if (!isPostgres(database)) return { store: sqliteStore({ path: database }), buckets: undefined }
  const opened = await openPostgres({ url: database, onError })
  return { store: postgresStore(opened), buckets: postgresTokenBuckets(opened) }
}
