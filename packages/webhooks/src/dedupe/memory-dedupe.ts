import type { Claim, Dedupe } from './dedupe.ts'
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

/** A claim, until another entry takes its place; or a handled delivery. */
type Entry = { readonly done: boolean; expiresAt: number }

/**
 * Remembers deliveries in this process: for one process and for tests. Several processes need a shared store.
 *
 * @example
 * createReceiver({ verify, dedupe: memoryDedupe() })
 */
export const memoryDedupe = (options: MemoryDedupeOptions = {}): Dedupe => {
  const { ttlMs = defaultRetentionMs, maxEntries = 100_000, now = () => Date.now() } = options
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

  const claimOf = (key: string, entry: Entry): Claim => ({
    renew: (claimMs) => {
      if (entries.get(key) !== entry) return false
      entry.expiresAt = now() + claimMs
      return true
    },
    complete: () => {
      if ((entries.get(key) ?? entry) !== entry) return false
      const at = now()
      entries.delete(key)
      entries.set(key, { done: true, expiresAt: at + ttlMs })
      evict(at)
      return true
    },
    release: () => {
      if (entries.get(key) === entry) entries.delete(key)
    },
  })

  return {
    claim: (key, claimMs) => {
      const at = now()
      const known = entries.get(key)
      if (known !== undefined && known.expiresAt > at) return known.done ? 'duplicate' : 'in_progress'
      const entry: Entry = { done: false, expiresAt: at + claimMs }
      entries.delete(key)
      entries.set(key, entry)
      return claimOf(key, entry)
    },
  }
}
