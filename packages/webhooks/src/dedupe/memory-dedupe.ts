import { assertAboveZero, assertOptions } from '../usage.ts'
import { type Claim, type Dedupe, defaultRetentionMs, type RetentionOptions } from './dedupe.ts'

/** Options for {@link memoryDedupe}. @interface */
export type MemoryDedupeOptions = RetentionOptions & {
  /**
   * Number of handled deliveries and claims in total, above which the deliveries that were handled first are forgotten.
   * Claims that have not expired are kept.
   * @default 100_000
   */
  readonly maxEntries?: number | undefined
  /**
   * The clock, in milliseconds.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined
}

/** A handled delivery or a claim. Either may have expired. */
type Entry = { readonly done: boolean; expiresAt: number }

/**
 * Remembers deliveries in memory, for one process and for tests. Several processes need a shared store.
 *
 * @throws WebhookUsageError for an unknown option.
 * @throws RangeError when `ttlMs` or `maxEntries` is not above 0.
 * @example
 * createReceiver({ verify, dedupe: memoryDedupe() })
 */
export const memoryDedupe = (options: MemoryDedupeOptions = {}): Dedupe => {
  assertOptions('memoryDedupe()', options, ['ttlMs', 'maxEntries', 'now'])
  const { ttlMs = defaultRetentionMs, maxEntries = 100_000, now = () => Date.now() } = options
  for (const [name, value] of Object.entries({ ttlMs, maxEntries })) assertAboveZero(name, value)
  // Handled deliveries are in order of completion, so the first expires first. Claims are in order of creation.
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

  const createClaim = (key: string, entry: Entry): Claim => ({
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
      return createClaim(key, entry)
    },
  }
}
