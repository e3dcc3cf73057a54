import type { Store } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import type { Pool } from './pool.ts'

export type PollerContext = {
  readonly store: Pick<Store, 'nextDueAt' | 'onDue'>
  readonly clock: Clock
  readonly pool: Pick<Pool, 'fill' | 'isIdle' | 'canClaim'>
  readonly pollMs: number
  readonly onError: (error: unknown) => void
}

/** Fills a pool whenever a delivery becomes due. */
export type Poller = { start(): void; stop(): void }

/** Starts a timer that does not keep the process alive, in runtimes that distinguish. */
const startTimer = (callback: () => void, ms: number): ReturnType<typeof setTimeout> => {
  const timer: unknown = setTimeout(callback, ms)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref()
  }
  return timer as ReturnType<typeof setTimeout>
}

/**
 * Creates a poller. It fills the pool when the store calls `onDue`, at the next due time, and at least every `pollMs`,
 * because calls of `onDue` may be lost.
 */
export const createPoller = ({ store, clock, pool, pollMs, onError }: PollerContext): Poller => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let unsubscribe: (() => void) | undefined

  const getPause = async (): Promise<number> => {
    const next = pool.isIdle() ? await store.nextDueAt() : undefined
    const pause = next === undefined ? pollMs : next - clock.now()
    return pause > 0 && pause < pollMs ? pause : pollMs
  }

  const poll = async (session: () => void): Promise<void> => {
    await pool.fill()
    const pause = await getPause().catch((error: unknown) => {
      onError(error)
      return pollMs
    })
    if (unsubscribe === session) timer = startTimer(() => void poll(session), pause)
  }

  return {
    start: () => {
      if (unsubscribe !== undefined) return
      unsubscribe = store.onDue(() => {
        void pool.fill()
        return pool.canClaim()
      })
      void poll(unsubscribe)
    },
    stop: () => {
      unsubscribe?.()
      unsubscribe = undefined
      clearTimeout(timer)
    },
  }
}
