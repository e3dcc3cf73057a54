import type { Store } from '@wabakit/core'
import { openDatabase } from './open-database.ts'
import { toOpenError } from './storage-errors.ts'
import { storeOnDatabase } from './store-on-database.ts'

/** Options for {@link sqliteStore}. */
export type SqliteStoreOptions = {
  /**
   * The path of the database file. The files `-wal`, `-shm` and `-lock` are beside it. If the file does not exist, it is
   * created with access for its owner only. The folder must exist.
   */
  readonly path: string
  /**
   * Receives warnings for the operator, such as that other users can read the file.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined
}

/**
 * Opens a store in a SQLite file, for one process. Every resolved write is on the disk (WAL with `synchronous=FULL`), and
 * concurrent writes share a commit. Other programs may read the file in the meantime.
 *
 * @throws DatabaseInUseError if another process, or another store of this process, uses the file.
 * @throws DatabaseVersionError if a newer version of this software wrote the file.
 * @throws DatabaseOpenError if the file cannot be opened, or belongs to another program.
 * @example
 * const store = sqliteStore({ path: 'wabakit.db' })
 */
export const sqliteStore = ({ path, onWarning }: SqliteStoreOptions): Store => {
  const opened = openDatabase(path, onWarning)
  try {
    return storeOnDatabase(opened)
  } catch (error) {
    opened.close()
    throw toOpenError(error, path)
  }
}
