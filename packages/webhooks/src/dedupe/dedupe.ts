/**
 * The right to handle a delivery. Every claim of a key is different: once a claim has expired and another
 * process has claimed the key, the methods of the old claim must not change anything.
 */
export type Claim = {
  /** Extends the claim to `ttlMs` milliseconds from now. Returns `false` when the claim is lost. */
  renew(ttlMs: number): boolean | Promise<boolean>
  /**
   * Records that the delivery was handled. From then on, claiming its key returns `duplicate`, until the
   * store forgets the delivery. Returns `false` and changes nothing when the key was claimed again in the meantime.
   */
  complete(): boolean | Promise<boolean>
  /** Gives up the claim, so that the key can be claimed again. Changes nothing when the claim is lost. */
  release(): unknown
}

/** The result of claiming a key. */
export type ClaimOutcome = Claim | 'duplicate' | 'in_progress'

/**
 * Remembers which deliveries were handled. A key is claimed, then the claim is completed or released. The claim of a
 * dead process expires. Methods may be synchronous or asynchronous, and may throw when the store cannot be reached.
 */
export type Dedupe = {
  /**
   * Claims a key for `ttlMs` milliseconds, atomically among all users of the store. Returns `duplicate` when
   * the delivery has already been handled, and `in_progress` when it is being handled.
   */
  claim(key: string, ttlMs: number): ClaimOutcome | Promise<ClaimOutcome>
}

/** How long handled deliveries are remembered by default, in milliseconds. Retry schedules are shorter. */
export const defaultRetentionMs = 604_800_000

/** The option that all stores share. @inline */
export type RetentionOptions = {
  /**
   * How long a handled delivery is remembered, in milliseconds.
   * @default 604_800_000 (7 days)
   */
  readonly ttlMs?: number | undefined
}
