import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
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

describe('a statement that fails', () => {
  /** Creates buckets in a database that fails on request, and makes one of them busy. */
  const createBusy = async () => {
    let failure: Error | undefined
    let asked = 0
    const take = createTokenLeases(
      async (wanted) => {
        asked++
        await setImmediate()
        if (failure !== undefined) throw failure
        return wanted.map(() => ({ remaining: 1_000, retryAfterMs: 0, fullAfterMs: 0, taken: 1 }))
      },
      () => 0,
    )
    const request = () => take({ now: 0, buckets: [bucket] })
    for (let index = 0; index < 100; index++) await request()
    return {
      request,
      fail: (error: Error | undefined) => {
        failure = error
        asked = 0
      },
      countAsked: () => asked,
    }
  }

  test('fails the requests that wait for it, so that they do not wait for the database one after another', async () => {
    const { request, fail, countAsked } = await createBusy()
    const failure = new Error('the connection broke')
    fail(failure)
    const results = await Promise.allSettled(Array.from({ length: 50 }, request))
    expect(results).toEqual(Array.from({ length: 50 }, () => ({ status: 'rejected', reason: failure })))
    expect(countAsked()).toBe(1)
  })

  test('does not keep later requests waiting: the next one asks again', async () => {
    const { request, fail, countAsked } = await createBusy()
    fail(new Error('the connection broke'))
    await expect(request()).rejects.toThrow('the connection broke')
    fail(undefined)
    expect(await request()).toMatchObject([{ retryAfterMs: 0 }])
    expect(countAsked()).toBe(1)
  })

  test('a slow statement serves all requests that wait for it', async () => {
    const { request, fail, countAsked } = await createBusy()
    fail(undefined)
    await Promise.all(Array.from({ length: 10 }, request))
    expect(countAsked()).toBeLessThanOrEqual(10)
  })
})
