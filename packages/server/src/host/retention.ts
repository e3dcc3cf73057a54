import type { Store } from '@wabakit/core'

/** What {@link startRetention} works with. */
export type RetentionOptions = {
  readonly store: Pick<Store, 'prune'>
  /** How long what is finished is kept, in milliseconds. */
  readonly keptMs: number
  readonly onError: (error: unknown) => void
}

const hour = 3_600_000
const batch = 500

/**
 * Removes what is finished and old, now and every hour, in small transactions.
 *
 * @returns stops it, and resolves when nothing is being removed any more.
 */
export const startRetention = ({ store, keptMs, onError }: RetentionOptions): (() => Promise<void>) => {
  let stopped = false
  const prune = async (): Promise<void> => {
    const before = Date.now() - keptMs
    try {
      while (!stopped && (await store.prune({ before, limit: batch })) > 0);
    } catch (error) {
      onError(error)
    }
  }
  let running = prune()
  const timer = setInterval(() => {
    running = running.then(prune)
  }, hour)
  return async () => {
    stopped = true
    clearInterval(timer)
    await running
  }
}
