import { DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from './database-file.ts'
import { DatabaseInUseError } from './errors/database-in-use-error.ts'
import { isBusy } from './sqlite-failure.ts'

/**
 * Takes a database for this process, until the returned function is called or the process is gone, however it ended.
 *
 * The lock is that of an empty SQLite database beside it, since Node has no file locks of its own. A lock on the
 * database itself (`locking_mode=EXCLUSIVE`) would keep out those who only read: backups and people with questions.
 * It is a writer's lock (`immediate`), which only those can take who may write: readers neither hold nor hinder it.
 *
 * @throws DatabaseInUseError when it is taken.
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
