import { DatabaseSync } from 'node:sqlite'
import { DatabaseInUseError } from '../errors.ts'
import { createPrivateFile } from './database-file.ts'
import { isBusy, toOpenError } from './storage-errors.ts'

/** Returns the id of the process that has the lock; `undefined` if it is not known. */
const readOwner = (lock: DatabaseSync): number | undefined => {
  try {
    return Number(lock.prepare('pragma user_version').get()?.user_version) || undefined
  } catch {
    return undefined
  }
}

/** Writes the process id to the lock file, for the errors of other processes. Only a hint: it may fail. */
const noteOwner = (lock: DatabaseSync): void => {
  try {
    lock.exec(`pragma user_version = ${process.pid}`)
  } catch {
    // If another process has the lock, `begin immediate` fails next, with the right error.
  }
}

/**
 * Locks a database for this process until the returned function is called or the process ends, even by a crash.
 *
 * Node.js has no file locks, so this locks an empty SQLite database next to the file. A lock on the database itself
 * (`locking_mode=EXCLUSIVE`) would exclude readers such as backups. The lock is a write lock (`immediate`), which users
 * with read-only access cannot take.
 *
 * @throws DatabaseInUseError if another process, or another store of this process, has the lock.
 */
const lockFile = (path: string): (() => void) => {
  createPrivateFile(`${path}-lock`)
  const lock = new DatabaseSync(`${path}-lock`)
  try {
    lock.exec('pragma journal_mode = memory; pragma synchronous = off')
    noteOwner(lock)
    lock.exec('begin immediate')
  } catch (error) {
    const owner = isBusy(error) ? readOwner(lock) : undefined
    lock.close()
    throw isBusy(error) ? new DatabaseInUseError(path, { cause: error, owner }) : error
  }
  return () => lock.close()
}

/**
 * Locks a database for this process and opens it. The lock is released when the database is closed.
 *
 * @throws DatabaseInUseError if another process, or another store of this process, has the lock.
 * @throws DatabaseOpenError if SQLite cannot open the database.
 */
export const openLocked = <Opened extends { readonly database: DatabaseSync }>(
  path: string,
  open: () => Opened,
): Opened & { close(): void } => {
  try {
    const unlock = lockFile(path)
    try {
      const opened = open()
      return {
        ...opened,
        close: () => {
          opened.database.close()
          unlock()
        },
      }
    } catch (error) {
      unlock()
      throw error
    }
  } catch (error) {
    throw toOpenError(error, path)
  }
}
