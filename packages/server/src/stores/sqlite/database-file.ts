import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import { DatabaseOpenError } from '../errors/database-open-error.ts'

/** Permissions that allow only the owner to read and write. SQLite gives `-wal` and `-shm` the same permissions. */
const ownerOnly = 0o600

/**
 * Creates an empty file that only its owner can read, if the file does not exist.
 *
 * @throws DatabaseOpenError if the file cannot be created.
 */
export const createPrivateFile = (path: string): void => {
  // Does not open an existing file, because closing it would drop SQLite's locks
  // (https://sqlite.org/howtocorrupt.html).
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, 'a', ownerOnly))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DatabaseOpenError(path, `It cannot be created: ${reason}. Check the folder and the disk.`, {
      cause: error,
    })
  }
}

/**
 * Resolves symbolic links to the path of a database file.
 *
 * @throws DatabaseOpenError if the file has a second hard link. SQLite uses the write-ahead log next to the path that
 *   it opens, so with two paths there would be two logs.
 */
export const resolveDatabaseFile = (file: string): string => {
  const path = realpathSync(file)
  if (statSync(path).nlink <= 1) return path
  throw new DatabaseOpenError(
    path,
    'It has several hard links, and its write-ahead log would be missed by the others. Remove all but one.',
  )
}

/** Returns a warning if other users can read or write files of a database. */
export const describeExposure = (
  path: string,
  { platform }: { readonly platform: NodeJS.Platform } = process,
): string | undefined => {
  // On Windows, the mode does not show the access lists.
  if (platform === 'win32') return undefined
  const exposed = ['', '-wal', '-shm', '-lock']
    .map((suffix) => `${path}${suffix}`)
    .filter((each) => ((statSync(each, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  if (exposed.length === 0) return undefined
  return `The database holds secrets, and other users of this machine may be able to open it. Run: chmod 600 ${exposed.join(' ')}`
}
