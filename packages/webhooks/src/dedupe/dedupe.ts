/**
 * A delivery that is being handled. Every claim of a key is a different one: once it has expired and somebody else has
 * claimed the key, nothing that the first holder does changes the second one's claim, or what came of it.
 */
export type Claim = {
  /** Makes the claim last for `ttlMs` milliseconds from now. Returns `false` when it is lost. */
  renew(ttlMs: number): boolean | Promise<boolean>
  /**
   * The delivery was handled: from now on its key is a duplicate, for as long as the store keeps it. Returns `false`,
   * and changes nothing, when somebody else has claimed the key since.
   */
  complete(): boolean | Promise<boolean>
  /** The delivery was not handled: the next one may claim the key. Changes nothing when the claim is lost. */
  release(): unknown
}

/**
 * Remembers which deliveries were handled. A key is claimed, then its claim is completed or released; the claim of a
 * holder that died expires. Methods may be synchronous or not, and may throw when the store cannot be reached.
 */
export type Dedupe = {
  /**
   * Claims a key for `ttlMs` milliseconds, atomically among all who share the store. Returns `duplicate` when it was
   * handled before, `in_progress` when somebody else is handling it.
   */
  claim(key: string, ttlMs: number): ClaimOutcome | Promise<ClaimOutcome>
}

/** What became of a claim. */
export type ClaimOutcome = Claim | 'duplicate' | 'in_progress'
