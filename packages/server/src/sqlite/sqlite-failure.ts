import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'

/** What SQLite's primary result codes (https://sqlite.org/rescode.html) mean for those who run the server. */
const failures: ReadonlyMap<number, string> = new Map([
  [5, 'Another program holds a lock on it; it will be tried again.'],
  [6, 'Another statement holds a lock on it.'],
  [7, 'There is not enough memory.'],
  [8, 'The file cannot be written. Check its permissions and those of its folder.'],
  [10, 'Reading or writing the file failed. Check the disk.'],
  [11, 'The file is damaged. Restore a backup.'],
  [13, 'The disk is full. Free some space.'],
  [14, 'The file, or one beside it, cannot be opened. Check the folder and its permissions.'],
  [15, 'Its lock could not be taken.'],
  [26, 'The file is not a SQLite database.'],
])

/** The primary result code of an error that SQLite raised; `undefined` for any other error. */
export const resultCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined

/** Whether SQLite said that somebody else holds the lock. */
export const isBusy = (error: unknown): boolean => resultCodeOf(error) === 5

/** What to do about a failure of the database itself; `undefined` for any other error. */
export const remedyOf = (error: unknown): string | undefined => failures.get(resultCodeOf(error) ?? 0)

/** The disk was full: of a transaction for which there was no room, nothing is in the file. */
const isFull = (error: unknown): boolean => resultCodeOf(error) === 13

/**
 * What a COMMIT failed with, as stores throw it. While the transaction is still open, or if there was no room for it,
 * nothing was changed. After any other failure, such as one of fsync, it may be in the file all the same, and come
 * back when the file is opened again.
 */
export const toCommitError = (error: unknown, isTransaction: boolean): unknown =>
  isTransaction || isFull(error)
    ? error
    : new StorageOutcomeUnknownError(
        `The database failed to commit; the change may have been made or not. ${remedyOf(error) ?? ''}`.trim(),
        { cause: error },
      )

/** A failure of the database as the {@link StorageUnavailableError} that stores throw; any other error as it is. */
export const toStorageError = (error: unknown): unknown => {
  const remedy = remedyOf(error)
  return remedy === undefined
    ? error
    : new StorageUnavailableError(`The database failed. ${remedy}`, { cause: error })
}
