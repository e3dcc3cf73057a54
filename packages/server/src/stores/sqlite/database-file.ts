import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import { DatabaseOpenError } from '../errors.ts'

/** Permissions for the owner only. SQLite gives `-wal` and `-shm` the same permissions. */
const ownerOnly = 0o600

/**
 * Creates an empty file that only its owner can read, unless the file exists.
 *
 * @throws DatabaseOpenError if the file cannot be created.
 */
export const createPrivateFile = (path: string): void => {
  // An existing file is not opened, because closing it would drop SQLite's locks
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
 * @throws DatabaseOpenError if the file has a second hard link. SQLite uses the write-ahead log next to the path it
 *   opens, so two paths would have two logs.
 */
export const resolveDatabaseFile = (file: string): string => {
  const path = realpathSync(file)
  if (statSync(path).nlink <= 1) return path
  throw new DatabaseOpenError(
    path,
    'It has several hard links, and its write-ahead log would be missed by the others. Remove all but one.',
  )
}

/** Returns a warning if other users can read or write a database's files. */
export const describeExposure = (
  path: string,
  { platform }: { readonly platform: NodeJS.Platform } = process,
): string | undefined => {
  // On Windows, the mode does not reflect access control lists.
  if (platform === 'win32') return undefined
  const exposed = ['', '-wal', '-shm', '-lock']
    .map((suffix) => `${path}${suffix}`)
    .filter((each) => ((statSync(each, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  if (exposed.length === 0) return undefined
  return `The database holds secrets, and other users of this machine may be able to open it. Run: chmod 600 ${exposed.join(' ')}`
}
