import { setTimeout } from 'node:timers/promises'
import type { Backlog } from '@wabakit/core'

/** Longest time that a reading is waited for: well within what Prometheus grants a scrape (10 s). */
const patienceMs = 3_000
/** For how long a reading is good: so many times what it took, so that reading takes 2% of the time, within bounds. */
const kept = { times: 50, leastMs: 1_000, mostMs: 60_000 }

/**
 * Keeps a store from being asked for its backlog more often, and those who ask from waiting longer, than is good for
 * either.
 *
 * @returns gives the newest reading, or `undefined` when there was none in time.
 */
export const createBacklogReading = (
  measure: () => Promise<Backlog>,
): (() => Promise<Backlog | undefined>) => {
  let reading: Promise<Backlog | undefined> | undefined
  let goodUntil = Infinity

  const read = async (): Promise<Backlog | undefined> => {
    const startedAt = performance.now()
    goodUntil = Infinity
    const backlog = await measure().catch(() => undefined)
    const now = performance.now()
    const keptMs = backlog === undefined ? kept.leastMs : kept.times * (now - startedAt)
    goodUntil = now + Math.min(kept.mostMs, Math.max(kept.leastMs, keptMs))
    return backlog
  }

  return async () => {
    if (reading === undefined || performance.now() >= goodUntil) reading = read()
    const ended = new AbortController()
    const late = setTimeout(patienceMs, undefined, { signal: ended.signal, ref: false }).catch(
      () => undefined,
    )
    const backlog = await Promise.race([reading, late])
    ended.abort()
    return backlog
  }
}
