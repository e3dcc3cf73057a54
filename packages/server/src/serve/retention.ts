import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Store } from '@wabakit/core'

type RetentionOptions = {
  readonly store: Pick<Store, 'prune'>
  readonly clock: Clock
  /** Retention of finished deliveries, events and figures, in milliseconds: `retentionDays`, 30 days by default. */
  readonly keptMs: number
  /** Retention of calls, groups and former participants after their last change, in milliseconds; `undefined` keeps them. */
  readonly recordsKeptMs: number | undefined
  readonly onError: (error: unknown) => void
}

/** The `limit` of each call of `prune`. On SQLite, all other work waits for its transaction. */
const batch = 100

/** The pause after a removal, as a multiple of its duration, so that removals take at most a fifth of the time. */
const pauseFactor = 4

/** The pause after nothing was removed, or a removal failed, in milliseconds. */
const idleMs = 60_000

/**
 * Removes old records and continues interrupted removals, in small transactions with pauses. `PruneRequest` in core says
 * which are old. Requests in the log are removed by `runtime.ts`.
 *
 * @returns a function that stops the removal and resolves when the last transaction has ended.
 */
export const startRetention = (options: RetentionOptions): (() => Promise<void>) => {
  const { store, clock, keptMs, recordsKeptMs, onError } = options
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
