import type { Store } from '@wabakit/core'
import { openDatabase } from './open-database.ts'
import { storeOnDatabase } from './store-on-database.ts'

/** Options of {@link sqliteStore}. */
export type SqliteStoreOptions = {
  /** The database's file; it is made if there is none, its folder is not. `-wal`, `-shm` and `-lock` stand beside it. */
  readonly path: string
}

/**
 * A store in a SQLite file, for one process. What it has answered is on the disk: WAL with `synchronous=FULL`, where
 * writes that arrive together share a commit. Other programs may read the file meanwhile.
 *
 * @throws DatabaseInUseError when another process, or another store of this one, has the file.
 * @throws DatabaseVersionError when a newer version of this software wrote it.
 * @throws DatabaseOpenError when it cannot be opened, or is not a database of this software.
 * @example
 * const store = sqliteStore({ path: 'wabakit.db' })
 */
export const sqliteStore = ({ path }: SqliteStoreOptions): Store => storeOnDatabase(openDatabase(path))
