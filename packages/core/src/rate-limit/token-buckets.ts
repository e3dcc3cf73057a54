/** One bucket: it holds `capacity` tokens, and an empty one is full again after `refillMs`. */
export type TokenBucket = {
  /** Names the bucket in the whole store. */
  readonly key: string
  readonly capacity: number
  /** Milliseconds; one token comes every `refillMs / capacity`. */
  readonly refillMs: number
}

/** A bucket after a token was asked for. */
export type TokenBucketState = {
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Milliseconds until the token that was asked for is there; 0 when it was. */
  readonly retryAfterMs: number
  /** Milliseconds until the bucket is full. */
  readonly fullAfterMs: number
}

/**
 * Where token buckets are kept: in memory, or in a database so that limits hold across processes. A bucket that was
 * never used is full. May throw `StorageUnavailableError`.
 */
export type TokenBuckets = {
  /**
   * Takes one token from each bucket, or from none when one of them is empty.
   *
   * @returns the state of each, in the order given.
   */
  take(request: TokenRequest): Promise<TokenBucketState[]>
}

/** One token of each of these buckets. `now` is Unix time in milliseconds. */
export type TokenRequest = { readonly now: number; readonly buckets: readonly TokenBucket[] }
