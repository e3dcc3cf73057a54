import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'

/** How long the outcome of a write is valid, in milliseconds. */
const validMs = 5_000

/** Returns whether a store could not do something, or the outcome of what it did is unknown. */
export const isStorageError = (
  error: unknown,
): error is StorageUnavailableError | StorageOutcomeUnknownError =>
  error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError

/** The outcome of a store's last write: when it ended and, if it failed, its error. */
export type LastWrite = { readonly at: number; readonly error?: unknown }

/** No outcome: the check writes something itself. */
export const noWrite: LastWrite = { at: Number.NEGATIVE_INFINITY }

export type WriteCheckOptions = {
  /** Commits a change that has no effect. */
  readonly write: () => Promise<unknown>
  readonly readLast: () => LastWrite
  readonly now: () => number
}

/**
 * Creates a check that resolves if the last write succeeded, and rejects with its error if it failed. If the last write
 * was at least 5 seconds ago, the check writes something itself.
 */
export const createWriteCheck = ({ write, readLast, now }: WriteCheckOptions): (() => Promise<void>) => {
  let writing: Promise<unknown> | undefined
  return async () => {
    if (now() - readLast().at >= validMs) {
      writing ??= write().finally(() => {
        writing = undefined
      })
      await writing
    }
    const { error } = readLast()
    if (error !== undefined) throw error
  }
}
