import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Store } from '@wabakit/core'

type RetentionOptions = {
  readonly store: Pick<Store, 'prune'>
  readonly clock: Clock
  /** Time for which finished deliveries and their events are kept, in milliseconds. */
  readonly keptMs: number
  /** Time for which calls, groups and participants are kept after their last change, in milliseconds; `undefined`: forever. */
  readonly recordsKeptMs: number | undefined
  readonly onError: (error: unknown) => void
}

/** Maximum number of records of each kind that one transaction removes. On SQLite, all other work waits for it. */
const batch = 100

/** The pause after a transaction, as a multiple of its duration, so that removal takes at most a fifth of the time. */
const pauseFactor = 4

/** The pause when nothing is left to remove, in milliseconds. */
const idleMs = 60_000

/**
 * Removes old records, and continues interrupted removals, in small transactions with pauses in between.
 *
 * @returns a function that stops the removal and resolves when the last transaction has ended.
 */
export const startRetention = ({
  store,
  clock,
  keptMs,
  recordsKeptMs,
  onError,
}: RetentionOptions): (() => Promise<void>) => {
  const stopping = new AbortController()
  const { signal } = stopping

  const prune = async (): Promise<number> => {
    try {
      const now = clock.now()
      const recordsBefore = recordsKeptMs === undefined ? undefined : now - recordsKeptMs
      return await store.prune({ before: now - keptMs, recordsBefore, limit: batch })
    } catch (error) {
      onError(error)
      return 0
    }
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const start = performance.now()
      const removed = await prune()
      const pauseMs = removed > 0 ? pauseFactor * (performance.now() - start) : idleMs
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
