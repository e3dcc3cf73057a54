import type { Store } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import type { Pool } from './pool.ts'

/** What {@link createWatch} works with. */
export type WatchContext = {
  readonly store: Pick<Store, 'nextDueAt' | 'onDue'>
  readonly clock: Clock
  readonly pool: Pick<Pool, 'fill' | 'isIdle'>
  readonly pollMs: number
  readonly onError: (error: unknown) => void
}

/** Fills a pool whenever something falls due. */
export type Watch = { start(): void; stop(): void }

/** A timer that keeps no process alive, where the runtime knows the difference. */
const startTimer = (callback: () => void, ms: number): ReturnType<typeof setTimeout> => {
  const timer: unknown = setTimeout(callback, ms)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref()
  }
  return timer as ReturnType<typeof setTimeout>
}

/**
 * Watches a store: the pool is filled when the store says that something fell due, at the next due time, and at least
 * every `pollMs`, since the store may miss to say so.
 */
export const createWatch = ({ store, clock, pool, pollMs, onError }: WatchContext): Watch => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let watching: (() => void) | undefined

  const untilNext = async (): Promise<number> => {
    const next = pool.isIdle() ? await store.nextDueAt() : undefined
    const wait = next === undefined ? pollMs : next - clock.now()
    return wait > 0 && wait < pollMs ? wait : pollMs
  }

  const look = async (session: () => void): Promise<void> => {
    await pool.fill()
    const wait = await untilNext().catch((error: unknown) => {
      onError(error)
      return pollMs
    })
    if (watching === session) timer = startTimer(() => void look(session), wait)
  }

  return {
    start: () => {
      if (watching !== undefined) return
      watching = store.onDue(() => void pool.fill())
      void look(watching)
    },
    stop: () => {
      watching?.()
      watching = undefined
      clearTimeout(timer)
    },
  }
}
