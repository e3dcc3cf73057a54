import type { ClaimOutcome, Dedupe } from './dedupe.ts'
import { defaultRetentionMs } from './retention.ts'

/** Options of {@link memoryDedupe}. */
export type MemoryDedupeOptions = {
  /**
   * Milliseconds for which a handled delivery is remembered.
   * @default 604_800_000 (7 days: longer than any retry schedule of this service)
   */
  readonly ttlMs?: number
  /**
   * Most deliveries remembered; beyond it the oldest are forgotten first, claims in progress never.
   * @default 100_000
   */
  readonly maxEntries?: number
  /**
   * The clock, in milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}

type Entry = { readonly done: boolean; readonly expiresAt: number }

/**
 * Remembers deliveries in this process: for one process and for tests. Several processes need a shared store.
 *
 * @example
 * createReceiver({ verify, dedupe: memoryDedupe() })
 */
export const memoryDedupe = (options: MemoryDedupeOptions = {}): Dedupe => {
  const { ttlMs = defaultRetentionMs, maxEntries = 100_000, now = Date.now } = options
  // In the order of their completion, so that the first is the first to expire; live claims stand where they began.
  const entries = new Map<string, Entry>()

  const evict = (at: number): void => {
    for (const [key, { done, expiresAt }] of entries) {
      if (expiresAt > at && (!done || entries.size <= maxEntries)) {
        if (done) return
        continue
      }
      entries.delete(key)
    }
  }

  return {
    claim: (key, claimMs): ClaimOutcome => {
      const at = now()
      const entry = entries.get(key)
      if (entry !== undefined && entry.expiresAt > at) return entry.done ? 'duplicate' : 'in_progress'
      entries.delete(key)
      entries.set(key, { done: false, expiresAt: at + claimMs })
      return 'claimed'
    },
    complete: (key) => {
      const at = now()
      entries.delete(key)
      entries.set(key, { done: true, expiresAt: at + ttlMs })
      evict(at)
    },
    release: (key) => {
      entries.delete(key)
    },
  }
}
