import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import { DatabaseOpenError } from '../errors.ts'

/** Explanations of SQLite's primary result codes (https://sqlite.org/rescode.html) for the operator. */
const failures: ReadonlyMap<number, string> = new Map([
  [5, 'Another program holds a lock on it. Wait for that program, or end it.'],
  [6, 'Another statement holds a lock on it.'],
  [7, 'There is not enough memory.'],
  [
    8,
    'The file cannot be written. Check its permissions and those of its folder, and whether its disk is mounted read only.',
  ],
  [10, 'Reading or writing the file failed. Check the disk and its free space.'],
  [11, 'The file is damaged. Restore a backup.'],
  [13, 'The disk is full. Free some space.'],
  [14, 'The file, or one beside it, cannot be opened. Check the folder and its permissions.'],
  [15, 'Its lock could not be taken.'],
  [26, 'The file is not a SQLite database.'],
])

const getResultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined

/** Returns whether another connection holds the lock. */
export const isBusy = (error: unknown): boolean => getResultCode(error) === 5

/** Returns the remedy for a database failure; `undefined` for an error without a known one. */
export const findRemedy = (error: unknown): string | undefined => failures.get(getResultCode(error) ?? 0)

/** Returns whether the disk was full. In that case, no part of the transaction is in the file. */
export const isFull = (error: unknown): boolean => getResultCode(error) === 13

/**
 * Returns the error to throw after a failed COMMIT. If the transaction is still open, or the disk was full, nothing was
 * changed. After any other failure, such as a failed fsync, the transaction may be in the file and reappear when the
 * file is opened again.
 */
export const toCommitError = (error: unknown, isTransaction: boolean): unknown =>
  isTransaction || isFull(error)
    ? error
    : new StorageOutcomeUnknownError(
        `The database failed to commit. The change may or may not have been made. ${findRemedy(error) ?? ''}`.trim(),
        { cause: error },
      )

/** Returns a {@link StorageUnavailableError} for a database failure with a known remedy, and any other error unchanged. */
export const toStorageError = (error: unknown): unknown => {
  const remedy = findRemedy(error)
  return remedy === undefined
    ? error
    : new StorageUnavailableError(`The database failed. ${remedy}`, { cause: error })
}

/** Returns a {@link DatabaseOpenError} for a failure to open a database, and any other error unchanged. */
export const toOpenError = (error: unknown, path: string): unknown => {
  if (!(error instanceof Error) || getResultCode(error) === undefined) return error
  const reason = `Its tables do not match its schema version: ${error.message}. Restore a backup.`
  return new DatabaseOpenError(path, findRemedy(error) ?? reason, { cause: error })
}
