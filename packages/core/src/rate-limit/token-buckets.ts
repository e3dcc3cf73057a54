/** A bucket of `capacity` tokens. An empty bucket is full again after `refillMs`. */
export type TokenBucket = {
  /** Identifies the bucket across the whole store. */
  readonly key: string
  readonly capacity: number
  /**
   * Time in which an empty bucket fills up, in milliseconds. It gains one token every `refillMs / capacity`.
   */
  readonly refillMs: number
}

/** The state of a bucket after a request for a token. */
export type TokenBucketState = {
  /** Number of whole tokens that are left. */
  readonly remaining: number
  /** Milliseconds until the requested token is available; 0 if this bucket had one. */
  readonly retryAfterMs: number
  /** Milliseconds until the bucket is full. */
  readonly fullAfterMs: number
}

/** A request for one token from each of these buckets. `now` is Unix time in milliseconds. @inline */
export type TokenRequest = { readonly now: number; readonly buckets: readonly TokenBucket[] }

/**
 * Stores token buckets: in memory, or in a database so that limits apply across processes. A bucket that has never been
 * used is full. May throw `StorageUnavailableError`.
 */
export type TokenBuckets = {
  /**
   * Takes one token from each bucket, or from none if one of them is empty.
   *
   * @returns the state of each bucket, in the same order.
   */
  take(request: TokenRequest): Promise<TokenBucketState[]>
}

/** The tokens of a bucket at a point in time, including fractions, and when it will be full. */
type Level = { readonly tokens: number; readonly at: number; readonly fullAt: number }

/** Tolerance for rounding errors in sums of fractions. */
const tolerance = 1e-9

/** Returns the tokens of a bucket now. A clock that was set back neither adds nor removes tokens. */
const countTokens = ({ capacity, refillMs }: TokenBucket, level: Level | undefined, now: number): number => {
  if (level === undefined) return capacity
  return Math.min(capacity, level.tokens + (Math.max(0, now - level.at) * capacity) / refillMs)
}

const minimumSweep = 10_000

/** Stores token buckets in memory, for this process. When there are many, those that are full again are removed. */
export const memoryTokenBuckets = (): TokenBuckets => {
  const levels = new Map<string, Level>()
  let nextSweep = minimumSweep

  const sweep = (now: number): void => {
    if (levels.size < nextSweep) return
    for (const [key, { fullAt }] of levels) if (fullAt <= now) levels.delete(key)
    nextSweep = Math.max(minimumSweep, levels.size * 2)
  }

  return {
    take: async ({ now, buckets }) => {
      sweep(now)
      const found = buckets.map((bucket) => ({
        bucket,
        tokens: countTokens(bucket, levels.get(bucket.key), now),
      }))
      const isGranted = found.every(({ tokens }) => tokens >= 1 - tolerance)
      return found.map(({ bucket: { key, capacity, refillMs }, tokens }): TokenBucketState => {
        const left = isGranted ? Math.max(0, tokens - 1) : tokens
        const msPerToken = refillMs / capacity
        const fullAfterMs = (capacity - left) * msPerToken
        levels.set(key, { tokens: left, at: now, fullAt: now + fullAfterMs })
        return {
          remaining: Math.floor(left + tolerance),
          retryAfterMs: isGranted ? 0 : Math.max(0, (1 - left) * msPerToken),
          fullAfterMs,
        }
      })
    },
  }
}
