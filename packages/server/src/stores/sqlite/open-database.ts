import { DatabaseSync } from 'node:sqlite'
import { DatabaseOpenError } from '../errors.ts'
import { createPrivateFile, describeExposure, resolveDatabaseFile } from './database-file.ts'
import { openLocked } from './lock-file.ts'
import { migrate, readVersion } from './migrate.ts'
import { takeOver } from './owner.ts'
import { watchFiles } from './present-files.ts'

/** An open database, locked for this process. `close` closes it and releases the lock. */
export type OpenDatabase = ReturnType<typeof openDatabase>

/** Maximum time that a statement waits for another program, such as a backup, while opening, in milliseconds. */
const openingTimeoutMs = 2_000

/**
 * WAL with `synchronous=FULL`: a commit is on disk when it returns. Checkpoints occur every 4,096 pages (16
 * MiB), about four times the default, because the same pages are written repeatedly. Deleted rows are overwritten
 * (decision 0052). The size limit truncates a longer log, whose end could otherwise keep deleted rows: later changes
 * would not overwrite it.
 */
const settings = `
  pragma synchronous = full;
  pragma wal_autocheckpoint = 4096;
  pragma journal_size_limit = 16777216;
  pragma cache_size = -32768;
  pragma temp_store = memory;
  pragma trusted_schema = off;
  pragma secure_delete = on;
`

const useWriteAheadLog = (database: DatabaseSync, path: string): void => {
  const mode = database.prepare('pragma journal_mode = wal').get()?.journal_mode
  if (mode !== 'wal')
    throw new DatabaseOpenError(path, 'Its file system has no shared memory. Use a local disk.')
}

const connect = (path: string) => {
  const database = new DatabaseSync(path)
  try {
    database.exec(`pragma busy_timeout = ${openingTimeoutMs}`)
    const version = readVersion(database, path)
    useWriteAheadLog(database, path)
    database.exec(settings)
    migrate(database, version)
    const checkOwner = takeOver(database)
    // From now on, do not wait for locks, because waiting would block the event loop.
    database.exec('pragma busy_timeout = 0')
    const files = watchFiles(path)
    return {
      database,
      checkFiles: files.look,
      /**
       * @throws StorageUnavailableError if another server has taken over the database, or its files were
       * deleted or replaced.
       */
      checkOwner: (): void => {
        files.check()
        checkOwner()
      },
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens a database and creates it if it does not exist.
 *
 * @param onWarning - receives warnings for the operator, such as a warning that other users can read the
 * file.
 * @throws DatabaseInUseError, DatabaseVersionError or DatabaseOpenError.
 */
export const openDatabase = (file: string, onWarning: (message: string) => void = console.warn) => {
  createPrivateFile(file)
  const path = resolveDatabaseFile(file)
  return openLocked(path, () => {
    const opened = connect(path)
    const exposure = describeExposure(path)
    if (exposure !== undefined) onWarning(exposure)
    return opened
  })
}
