import type { DatabaseSync } from 'node:sqlite'
// From the module: these stay real where a test replaces the global ones.
import { setImmediate, setTimeout } from 'node:timers'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import { isBusy, toCommitError, toStorageError } from './sqlite-failure.ts'

/** Writes that share transactions. */
export type GroupCommit = {
  /**
   * Does `work`, all of it or nothing, and resolves with its result when that is committed. What `work` throws rolls
   * back its own changes and no others.
   *
   * @throws StorageUnavailableError when it was not committed.
   * @throws StorageOutcomeUnknownError when the commit failed in a way that leaves open whether it was made.
   */
  write<Result>(work: () => Result): Promise<Result>
  /** Commits what was asked for so far, and refuses what comes later. */
  close(): void
}

/** What {@link createGroupCommit} works with. */
export type GroupCommitContext = {
  readonly database: DatabaseSync
  /** Called first in each transaction; what it throws, all who take part get. */
  readonly checkOwner: () => void
  /** Called after a transaction, when all who took part have their answers. */
  readonly onCommit: () => void
  /** Called when changes have been undone. */
  readonly onRollback: () => void
}

/** A write that waits. `run` does the work, and returns what answers the caller after the commit. */
type Job = { readonly run: () => () => void; readonly reject: (error: unknown) => void }

/** Most writes of one transaction: the event loop waits for all of them. */
const batchLimit = 512

/** How often a lock that another program holds is tried again, and after what pause in milliseconds. */
const busy = { retries: 100, pauseMs: 20 }

/**
 * Lets writes that arrive together share a transaction, and so an fsync: those of one turn of the event loop, in which
 * everything arrives that came during the commit before. Each has a savepoint of its own.
 */
export const createGroupCommit = ({
  database,
  checkOwner,
  onCommit,
  onRollback,
}: GroupCommitContext): GroupCommit => {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  const savepoint = database.prepare('savepoint job')
  const release = database.prepare('release job')
  const rollbackToSavepoint = database.prepare('rollback to job')
  let jobs: Job[] = []
  let isScheduled = false
  let isClosed = false
  let retriesLeft = busy.retries

  const runJob = ({ run, reject }: Job): (() => void) => {
    savepoint.run()
    try {
      const answer = run()
      release.run()
      return answer
    } catch (error) {
      try {
        rollbackToSavepoint.run()
        release.run()
      } catch {
        // No savepoint: after some failures, such as a full disk, SQLite rolls back the whole transaction.
        throw error
      }
      onRollback()
      return () => reject(toStorageError(error))
    }
  }

  const rollbackAll = (): void => {
    try {
      rollback.run()
    } catch {
      // No transaction: see above.
    }
    onRollback()
  }

  const commitAll = (): void => {
    try {
      commit.run()
    } catch (error) {
      throw toCommitError(error, database.isTransaction)
    }
  }

  const runBatch = (batch: readonly Job[]): (() => void)[] => {
    try {
      begin.run()
      checkOwner()
      const answers = batch.map(runJob)
      commitAll()
      return answers
    } catch (error) {
      rollbackAll()
      throw error
    }
  }

  const rejectBatch = (batch: readonly Job[], cause: unknown): void => {
    const error = toStorageError(cause)
    const isStorageError =
      error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError
    const reason = isStorageError ? error : new StorageUnavailableError('The transaction failed.', { cause })
    for (const { reject } of batch) reject(reason)
  }

  const schedule = (pauseMs?: number): void => {
    if (isScheduled || jobs.length === 0) return
    isScheduled = true
    if (pauseMs === undefined) setImmediate(flush)
    else setTimeout(flush, pauseMs)
  }

  const flush = (): void => {
    isScheduled = false
    if (jobs.length === 0) return
    const batch = jobs.splice(0, batchLimit)
    try {
      for (const answer of runBatch(batch)) answer()
    } catch (error) {
      if (isBusy(error) && retriesLeft > 0) {
        retriesLeft--
        jobs = [...batch, ...jobs]
        schedule(busy.pauseMs)
        return
      }
      rejectBatch(batch, error)
    }
    retriesLeft = busy.retries
    onCommit()
    schedule()
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new StorageUnavailableError('The store is closed.'))
        const run = (): (() => void) => {
          const result = work()
          return () => resolve(result)
        }
        jobs.push({ run, reject })
        schedule()
      }),
    close: () => {
      isClosed = true
      retriesLeft = 0
      while (jobs.length > 0) flush()
    },
  }
}
