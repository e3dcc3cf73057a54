import { expect, test } from 'vitest'
import type { TakenTokens, WantedTokens } from './functions/token-buckets.ts'
import { createTokenLeases } from './token-leases.ts'

const bucket = { key: 'organization:acme', capacity: 1_000, refillMs: 60_000 }

/** Creates a bucket with this many tokens, which does not refill, and processes that take from it. */
const createBucket = (capacity: number, processes = 1) => {
  let left = capacity
  let changes = 0
  let now = 0
  const take = async (wanted: readonly WantedTokens[]): Promise<TakenTokens[]> => {
    const isGranted = left >= 1
    if (isGranted) changes++
    return wanted.map((each) => {
      const taken = isGranted ? Math.min(each.wanted, left) : 0
      left -= taken
      return { remaining: left, retryAfterMs: isGranted ? 0 : 10, fullAfterMs: 0, taken }
    })
  }
  const leases = Array.from({ length: processes }, () => createTokenLeases(take, () => now))
  /** Requests tokens for a second, one after another. Returns the number of granted tokens. */
  const request = async (count: number): Promise<number> => {
    let granted = 0
    for (let index = 0; index < count; index++) {
      now += 1_000 / count
      const [state] = (await leases[index % processes]?.({ now: 0, buckets: [bucket] })) ?? []
      if (state?.retryAfterMs === 0) granted++
    }
    return granted
  }
  return { request, countChanges: () => changes, countLeft: () => left }
}

test('a busy bucket changes a few times per second, however many requests there are', async () => {
  const { request, countChanges } = createBucket(100_000)
  expect(await request(1_000)).toBe(1_000)
  const before = countChanges()
  expect(await request(1_000)).toBe(1_000)
  expect(countChanges() - before).toBeLessThan(10)
})

test('a bucket that is not busy changes with each request, so that it is exact', async () => {
  const { request, countLeft } = createBucket(100)
  expect(await request(40)).toBe(40)
  expect(countLeft()).toBe(60)
})

test('several processes in total get every token of a busy bucket, and no more', async () => {
  const { request, countLeft } = createBucket(1_000, 3)
  expect(await request(3_000)).toBe(1_000)
  expect(countLeft()).toBe(0)
})

test('an empty busy bucket is queried a few times per second', async () => {
  let asked = 0
  let now = 0
  const take = createTokenLeases(
    async (wanted) => {
      asked++
      return wanted.map(() => ({ remaining: 0, retryAfterMs: 1, fullAfterMs: 0, taken: 0 }))
    },
    () => now,
  )
  for (let index = 0; index < 2_000; index++) {
    now++
    const [state] = await take({ now: 0, buckets: [bucket] })
    expect(state?.retryAfterMs).toBeGreaterThan(0)
  }
  // The queries until the bucket counts as busy, and then at most eight per second.
  expect(asked).toBeLessThan(50 + 2 * 10)
})
