import type { DatabaseSync } from 'node:sqlite'
// Imports the timers because a test may replace the global ones.
import { setImmediate, setTimeout } from 'node:timers'
import { StorageUnavailableError } from '@wabakit/core'
import { isStorageError } from '../write-check.ts'
import { applyCommit, applyRollback, type Effects } from './remembered-tables.ts'
import { isBusy, toCommitError, toStorageError } from './storage-errors.ts'

export type WriteBatchesOptions = {
  readonly database: DatabaseSync
  /** Called first in each transaction. If it throws, all writes in the transaction reject. */
  readonly checkOwner: () => void
  /** Called after each commit, before its acknowledgment. Throws if files were deleted or replaced. */
  readonly checkFiles: () => void
  /** The list to which writes add their in-memory changes. */
  readonly effects: Effects
}

/** A pending write. `run` does the work and returns a function that resolves the write after the commit. */
type Job = { readonly run: () => () => void; readonly reject: (error: unknown) => void }

/** Maximum number of writes per transaction. Writes block the event loop. */
const maxWrites = 512

/** Maximum number of retries while another program has the lock, and milliseconds between them. */
const busy = { retries: 100, pauseMs: 20 }

/**
 * Combines the writes of one turn of the event loop into a transaction, so that they share an fsync. If a write fails, all
 * of them run again, each in its own savepoint.
 */
export const createWriteBatches = (options: WriteBatchesOptions) => {
  const { database, checkOwner, checkFiles, effects } = options
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  const savepoint = database.prepare('savepoint job')
  const release = database.prepare('release job')
  const rollbackToSavepoint = database.prepare('rollback to job')
  let pending: Job[] = []
  let isScheduled = false
  let isClosed = false
  let retriesLeft = busy.retries

  /** Runs jobs in one savepoint, or each in its own if one fails. Returns functions that settle them. */
  const runJobs = (batch: readonly Job[]): (() => void)[] => {
    const { length } = effects
    savepoint.run()
    try {
      const resolvers = batch.map(({ run }) => run())
      release.run()
      return resolvers
    } catch (error) {
      // After some failures, such as a full disk, SQLite has rolled back the whole transaction.
      if (!database.isTransaction) throw error
      rollbackToSavepoint.run()
      release.run()
      applyRollback(effects, length)
      return batch.length > 1
        ? batch.flatMap((job) => runJobs([job]))
        : batch.map(
            ({ reject }) =>
              () =>
                reject(toStorageError(error)),
          )
    }
  }

  const rollbackAll = (): void => {
    try {
      rollback.run()
    } catch {
      // There may be no transaction, for example because the file was locked or the disk is full.
    }
    applyRollback(effects)
  }

  const commitAll = (): void => {
    try {
      commit.run()
    } catch (error) {
      throw toCommitError(error, database.isTransaction)
    }
    applyCommit(effects)
  }

  const runBatch = (batch: readonly Job[]): (() => void)[] => {
    try {
      begin.run()
      checkOwner()
      const resolvers = runJobs(batch)
      commitAll()
      checkFiles()
      return resolvers
    } catch (error) {
      rollbackAll()
      throw error
    }
  }

  const rejectBatch = (batch: readonly Job[], cause: unknown): void => {
    const error = toStorageError(cause)
    const reason = isStorageError(error)
      ? error
      : new StorageUnavailableError('The transaction failed.', { cause })
    for (const { reject } of batch) reject(reason)
  }

  const schedule = (pauseMs?: number): void => {
    if (isScheduled || pending.length === 0) return
    isScheduled = true
    if (pauseMs === undefined) setImmediate(flush)
    else setTimeout(flush, pauseMs)
  }

  const flush = (): void => {
    isScheduled = false
    const batch = pending.splice(0, maxWrites)
    if (batch.length === 0) return
    try {
      const settlers = runBatch(batch)
      for (const settle of settlers) settle()
    } catch (error) {
      if (isBusy(error) && retriesLeft > 0) {
        retriesLeft--
        pending = [...batch, ...pending]
        schedule(busy.pauseMs)
        return
      }
      rejectBatch(batch, error)
    }
    retriesLeft = busy.retries
    schedule()
  }

  return {
    /**
     * Runs `work` atomically and resolves to its result after the commit. If one of several writes in a batch throws, all are
     * rolled back, and each runs again alone. Rejects with the error of `work` if it throws alone.
     *
     * @throws StorageUnavailableError if the database failed, and nothing was committed.
     * @throws StorageOutcomeUnknownError if the commit failed but may have taken effect, or the database's files were deleted or
     *   replaced.
     */
    write: <Result>(work: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new StorageUnavailableError('The store is closed.'))
        const run = (): (() => void) => {
          const result = work()
          return () => resolve(result)
        }
        pending.push({ run, reject })
        schedule()
      }),
    /** Runs the pending writes, and rejects later ones. */
    close: (): void => {
      isClosed = true
      retriesLeft = 0
      while (pending.length > 0) flush()
    },
  }
}
