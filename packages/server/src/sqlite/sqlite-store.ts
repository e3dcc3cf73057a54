import type { Store } from '@wabakit/core'
import { openDatabase } from './open-database.ts'
import { storeOnDatabase } from './store-on-database.ts'

/** Options of {@link sqliteStore}. */
export type SqliteStoreOptions = {
  /**
   * The database's file; `-wal`, `-shm` and `-lock` are beside it. It is created if there is none, so that only its
   * owner can read it; its folder is not.
   */
  readonly path: string
  /**
   * Gets what the operator should know, such as that other users can read the file.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined
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
export const sqliteStore = ({ path, onWarning }: SqliteStoreOptions): Store =>
  storeOnDatabase(openDatabase(path, onWarning))
