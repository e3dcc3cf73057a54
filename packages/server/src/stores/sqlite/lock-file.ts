import { DatabaseSync } from 'node:sqlite'
import { DatabaseInUseError } from '../errors/database-in-use-error.ts'
import { createPrivateFile } from './database-file.ts'
import { isBusy } from './storage-errors.ts'

/**
 * Locks a database for this process, until the returned function is called or the process ends, even by a crash.
 *
 * Node.js has no file locks, so this locks an empty SQLite database next to the file. A lock on the database itself
 * (`locking_mode=EXCLUSIVE`) would exclude readers such as backups. The lock is a write lock (`immediate`), which users
 * with only read access cannot take.
 *
 * @throws DatabaseInUseError if another process has the lock.
 */
export const lockFile = (path: string): (() => void) => {
  createPrivateFile(`${path}-lock`)
  const lock = new DatabaseSync(`${path}-lock`)
  try {
    lock.exec('pragma journal_mode = memory; begin immediate')
  } catch (error) {
    lock.close()
    throw isBusy(error) ? new DatabaseInUseError(path, { cause: error }) : error
  }
  return () => lock.close()
}
