import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BackupError, DatabaseOpenError, DatabaseVersionError } from '../errors.ts'
import { readVersion } from './migrate.ts'
import { isFull, toOpenError } from './storage-errors.ts'

type Files = { readonly from: string; readonly to: string }

const copy = ({ from, to }: Files): void => {
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    database.exec('pragma busy_timeout = 2000')
    if (readVersion(database, from) === 0) {
      throw new DatabaseOpenError(from, 'It is empty: no server has used it yet.')
    }
    database.prepare('vacuum into ?').run(to)
  } catch (error) {
    // A full disk is a problem of the copy, not of the database.
    throw isFull(error) ? error : toOpenError(error, from)
  } finally {
    database.close()
  }
}

/** Checks and syncs a complete copy, which `vacuum into` does not do. */
const secure = (path: string): void => {
  const database = new DatabaseSync(path, { readOnly: true })
  const [result] = database.prepare('pragma integrity_check(1)').all()
  database.close()
  const found = String(Object.values(result ?? {})[0])
  if (found !== 'ok') throw new BackupError(`The copy is damaged, and so may be the database: ${found}`)
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

/**
 * Syncs a file's folder, so that the file name is durable. Windows cannot open folders, but its file system journals
 * names.
 */
export const syncFolder = (
  path: string,
  { platform }: { readonly platform: NodeJS.Platform } = process,
): void => {
  if (platform === 'win32') return
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

const refuseExisting = (path: string): void => {
  if (existsSync(path)) throw new BackupError(`${path} exists. Choose another name; no file is overwritten.`)
}

/** Creates an empty file that only its owner can read. */
const reserve = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new BackupError(
      isThere
        ? `${path} exists: another backup is under way, or was interrupted. If none is, remove it.`
        : `${path} cannot be created. Check the folder and the disk.`,
      { cause: error },
    )
  }
}

const toBackupError = (error: unknown, path: string): unknown => {
  if ([BackupError, DatabaseOpenError, DatabaseVersionError].some((known) => error instanceof known))
    return error
  const reason = error instanceof Error ? error.message : String(error)
  return new BackupError(
    `${path} cannot be written: ${reason}. Check the folder, the disk and its free space.`,
    {
      cause: error,
    },
  )
}

/**
 * Copies a SQLite database to a new file that only its owner can read, even while a server uses the database. The file
 * appears under its name once it is complete, checked and synced.
 *
 * @returns the size of the copy in bytes.
 * @throws BackupError if the file exists or cannot be written, or the copy is damaged.
 * @throws DatabaseOpenError if the database cannot be read or is not one of ours.
 * @throws DatabaseVersionError if a newer version of this software wrote the database.
 */
export const backUp = ({ from, to }: Files): number => {
  if (!existsSync(from)) throw new DatabaseOpenError(from, 'There is no such file.')
  refuseExisting(to)
  const part = `${to}-partial`
  reserve(part)
  let written = part
  try {
    copy({ from, to: part })
    secure(part)
    refuseExisting(to)
    renameSync(part, to)
    written = to
    syncFolder(to)
    return statSync(to).size
  } catch (error) {
    rmSync(written, { force: true })
    throw toBackupError(error, to)
  }
}
