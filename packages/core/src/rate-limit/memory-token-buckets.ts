import type { TokenBucket, TokenBucketState, TokenBuckets } from './token-buckets.ts'

/**
 * A bucket is kept as the time at which it will be full, so that a full one need not be kept at all (the generic
 * cell rate algorithm, ITU-T I.371). After the clock was set back a bucket is at most empty.
 */
type FullAt = number

const fullAtOf = ({ refillMs }: TokenBucket, kept: FullAt | undefined, now: number): FullAt =>
  Math.min(Math.max(kept ?? now, now), now + refillMs)

/** What a bucket is like after one token more was taken: negative room means that there was none. */
const afterTaking = (bucket: TokenBucket, kept: FullAt | undefined, now: number) => {
  const interval = bucket.refillMs / bucket.capacity
  const fullAt = fullAtOf(bucket, kept, now) + interval
  // Room is rounded, so that sums of fractions of a millisecond do not cost a token.
  return { interval, fullAt, room: Math.round((now + bucket.refillMs - fullAt) * 1_000) / 1_000 }
}

const smallestSweep = 10_000

/** Token buckets in the process's memory. Those that are full again are forgotten from time to time. */
export const memoryTokenBuckets = (): TokenBuckets => {
  const kept = new Map<string, FullAt>()
  let nextSweep = smallestSweep

  const sweep = (now: number): void => {
    for (const [key, fullAt] of kept) if (fullAt <= now) kept.delete(key)
    nextSweep = Math.max(smallestSweep, kept.size * 2)
  }

  return {
    take: async ({ now, buckets }) => {
      const asked = buckets.map((bucket) => ({ bucket, ...afterTaking(bucket, kept.get(bucket.key), now) }))
      const isGranted = asked.every(({ room }) => room >= 0)
      if (isGranted) for (const { bucket, fullAt } of asked) kept.set(bucket.key, fullAt)
      if (kept.size > nextSweep) sweep(now)
      return asked.map(({ bucket, interval, room }): TokenBucketState => {
        const left = isGranted ? room : room + interval
        return {
          remaining: Math.max(0, Math.floor(left / interval)),
          retryAfterMs: isGranted ? 0 : Math.max(0, -room),
          fullAfterMs: Math.max(0, bucket.refillMs - left),
        }
      })
    },
  }
}
