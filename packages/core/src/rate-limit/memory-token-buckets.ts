import type { TokenBucket, TokenBucketState, TokenBuckets } from './token-buckets.ts'

/** What is kept of a bucket: its tokens, also fractions, at a time; and when it will be full. */
type Level = { readonly tokens: number; readonly at: number; readonly fullAt: number }

/** Sums of fractions may lack this much of a whole token. */
const tolerance = 1e-9

/** The tokens of a bucket now. A clock that was set back brings none, and takes none away. */
const tokensOf = ({ capacity, refillMs }: TokenBucket, level: Level | undefined, now: number): number => {
  if (level === undefined) return capacity
  return Math.min(capacity, level.tokens + (Math.max(0, now - level.at) * capacity) / refillMs)
}

const smallestSweep = 10_000

/** Token buckets in the process's memory. Those that are full again are forgotten from time to time. */
export const memoryTokenBuckets = (): TokenBuckets => {
  const levels = new Map<string, Level>()
  let nextSweep = smallestSweep

  const sweep = (now: number): void => {
    if (levels.size < nextSweep) return
    for (const [key, { fullAt }] of levels) if (fullAt <= now) levels.delete(key)
    nextSweep = Math.max(smallestSweep, levels.size * 2)
  }

  return {
    take: async ({ now, buckets }) => {
      sweep(now)
      const found = buckets.map((bucket) => ({
        bucket,
        tokens: tokensOf(bucket, levels.get(bucket.key), now),
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
