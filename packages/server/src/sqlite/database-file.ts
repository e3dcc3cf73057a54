import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import { DatabaseOpenError } from './errors/database-open-error.ts'

/** The owner may read and write, others may do nothing. SQLite gives `-wal` and `-shm` the same permissions. */
const ownerOnly = 0o600

/**
 * Creates an empty file that only its owner can read, if there is none.
 *
 * @throws DatabaseOpenError when it cannot be created.
 */
export const createPrivateFile = (path: string): void => {
  // An existing file is not opened: closing it would drop SQLite's locks (https://sqlite.org/howtocorrupt.html).
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, 'a', ownerOnly))
  } catch (error) {
    throw new DatabaseOpenError(path, 'It cannot be created. Check the folder and its permissions.', {
      cause: error,
    })
  }
}

/**
 * The one path of a database file, whichever links lead to it.
 *
 * @throws DatabaseOpenError when it has a second hard link, that is, a second path: SQLite looks for the
 *   write-ahead log beside the path that it is given.
 */
export const resolveDatabaseFile = (file: string): string => {
  const path = realpathSync(file)
  if (statSync(path).nlink <= 1) return path
  throw new DatabaseOpenError(
    path,
    'It has several hard links, and its write-ahead log would be missed by the others. Remove all but one.',
  )
}

/** What to say of the files of a database that other users can read or write; `undefined` when there are none. */
export const describeExposure = (path: string): string | undefined => {
  // Windows has access lists, which a mode does not show.
  if (process.platform === 'win32') return undefined
  const exposed = ['', '-wal', '-shm', '-lock']
    .map((suffix) => `${path}${suffix}`)
    .filter((each) => ((statSync(each, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  if (exposed.length === 0) return undefined
  return `The database holds secrets, and other users of this machine may be able to open it. Run: chmod 600 ${exposed.join(' ')}`
}
