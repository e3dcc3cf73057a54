import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import { startBackgroundTimer } from '../values/clock.ts'
import { failurePauseMs } from './page-reader.ts'
import type { Queue } from './states.ts'

/**
 * Pauses before the store is tried again, in milliseconds: `firstMs` for a result that could not be written. They double up to
 * a maximum, which is short if the store may only be away for a while.
 */
const storePauses = { firstMs: 1_000, maxMs: 60_000, unavailableMaxMs: 5_000 }

/**
 * Number of failures of the store in a row after which an operator should know. A single one may have passed already.
 */
export const persistentFailures = 2

/** Returns whether the store may only be away for a while, so that the error says nothing about the data. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError

/** An error of the store, and how often in a row it has failed with it or another one. */
export type StoreFailure = { readonly error: unknown; readonly failures: number }

/** Returns the pause before a result is written again, in milliseconds. */
export const getStorePause = ({ error, failures }: StoreFailure): number => {
  const { firstMs, maxMs, unavailableMaxMs } = storePauses
  return Math.min(firstMs * 2 ** (failures - 1), isUnavailable(error) ? unavailableMaxMs : maxMs)
}

/** Returns the pause before a delivery that could not be loaded, although the store responds, is loaded again, in milliseconds. */
export const getLoadPause = (failures: number): number =>
  Math.min(failurePauseMs * 2 ** (failures - 1), storePauses.maxMs)

/** Adds the consequence and the remedy to an error of a store that cannot read a delivery. */
export const explainUnreadable = (id: string, cause: unknown): Error =>
  new Error(
    `The delivery ${id} could not be loaded. It will be tried again, and the others go on. Check its rows in the tables of deliveries, events and subscriptions, and restore them from a backup if they are damaged.`,
    { cause },
  )

/** Adds the consequence and the remedy to an error of a store that refuses a result. */
export const explainRefusal = (error: unknown): unknown =>
  isUnavailable(error)
    ? error
    : new Error(
        'The result of a delivery attempt could not be stored. The deliveries to its endpoint are paused, and it will be stored later. Check the triggers, constraints and permissions of the tables in the database.',
        { cause: error },
      )

/** Creates the pauses before the store is tried again. */
export const createStorePauses = () => {
  /** The queue of each pause, by the function that ends it. */
  const pauses = new Map<() => void, Queue>()
  return {
    /** Waits before the store is tried again for a delivery of a queue. `retryNow` ends the pause. */
    pause: (queue: Queue, ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = startBackgroundTimer(() => end(), ms)
        const end = (): void => {
          clearTimeout(timer)
          pauses.delete(end)
          resolve()
        }
        pauses.set(end, queue)
      }),
    /** Ends the pauses of queues. */
    retryNow: (own: readonly Queue[]): void => {
      for (const [end, queue] of [...pauses]) if (own.includes(queue)) end()
    },
  }
}
