/**
 * What became of a claim: `claimed` (handle it), `duplicate` (it was handled), `in_progress` (another delivery of the
 * same is being handled).
 */
export type ClaimOutcome = 'claimed' | 'duplicate' | 'in_progress'

/**
 * Remembers which deliveries were handled. A key is claimed, then either completed or released; a claim whose holder
 * died expires by itself. Methods may be synchronous or not, and may throw when the store cannot be reached.
 */
export type Dedupe = {
  /** Claims a key for at most `ttlMs` milliseconds, atomically among all who share the store. */
  claim(key: string, ttlMs: number): ClaimOutcome | Promise<ClaimOutcome>
  /** The delivery was handled: from now on the key is a duplicate, for as long as the store keeps it. */
  complete(key: string): unknown
  /** The delivery was not handled: the next one may claim the key. */
  release(key: string): unknown
}
