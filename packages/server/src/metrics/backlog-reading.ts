import { setTimeout } from 'node:timers/promises'
import type { Backlog } from '@wabakit/core'

/** Maximum time to wait for a reading, well below the scrape timeout of Prometheus (10 s). */
const timeoutMs = 3_000
/** Bounds for reusing a reading: for 50 times its duration, so that reading takes at most 2% of the time. */
const reuse = { factor: 50, minMs: 1_000, maxMs: 60_000 }

/**
 * Limits how often the backlog of a store is measured, and how long callers wait for it.
 *
 * @returns a function that returns the latest reading, or `undefined` when none was available in time.
 */
export const createBacklogReading = (
  measure: () => Promise<Backlog>,
): (() => Promise<Backlog | undefined>) => {
  let reading: Promise<Backlog | undefined> | undefined
  let validUntil = Infinity

  const read = async (): Promise<Backlog | undefined> => {
    const startedAt = performance.now()
    validUntil = Infinity
    const backlog = await measure().catch(() => undefined)
    const now = performance.now()
    const reusedMs = backlog === undefined ? reuse.minMs : reuse.factor * (now - startedAt)
    validUntil = now + Math.min(reuse.maxMs, Math.max(reuse.minMs, reusedMs))
    return backlog
  }

  return async () => {
    if (reading === undefined || performance.now() >= validUntil) reading = read()
    const finished = new AbortController()
    const timeout = setTimeout(timeoutMs, undefined, { signal: finished.signal, ref: false }).catch(
      () => undefined,
    )
    const backlog = await Promise.race([reading, timeout])
    finished.abort()
    return backlog
  }
}
