import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@wabakit/core'

/** What {@link startRetention} works with. */
export type RetentionOptions = {
  readonly store: Pick<Store, 'prune'>
  /** How long what is finished is kept, in milliseconds. */
  readonly keptMs: number
  readonly onError: (error: unknown) => void
}

/** Most deliveries, and most events, of a transaction: on SQLite everybody waits for it. */
const batch = 100

/** How many times as long as a transaction took nothing is removed afterwards, so that four fifths are left to others. */
const rest = 4

/** How long nothing is looked for when nothing was left, in milliseconds. */
const idleMs = 60_000

/**
 * Removes what is finished and old, little by little: small transactions with rests in proportion to what they took.
 *
 * @returns stops it, and resolves when nothing is being removed any more.
 */
export const startRetention = ({ store, keptMs, onError }: RetentionOptions): (() => Promise<void>) => {
  const stopping = new AbortController()
  const { signal } = stopping

  const prune = async (): Promise<number> => {
    try {
      return await store.prune({ before: Date.now() - keptMs, limit: batch })
    } catch (error) {
      onError(error)
      return 0
    }
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const start = performance.now()
      const removed = await prune()
      const pauseMs = removed > 0 ? rest * (performance.now() - start) : idleMs
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
