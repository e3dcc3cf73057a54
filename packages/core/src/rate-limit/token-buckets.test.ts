import { describe, expect, it } from 'vitest'
import { memoryTokenBuckets } from './token-buckets.ts'

describe('memoryTokenBuckets', () => {
  it('keeps buckets in use and forgets those that are full again, however many there are', async () => {
    const { take } = memoryTokenBuckets()
    const ask = async (key: string, now: number) => {
      const [state] = await take({ now, buckets: [{ key, capacity: 2, refillMs: 1_000_000 }] })
      return state?.remaining
    }
    for (let index = 0; index < 25_000; index++) await ask(`bucket-${index}`, index)
    expect(await ask('bucket-24999', 25_000)).toBe(0)
    expect(await ask('bucket-0', 25_000)).toBe(0)
    for (let index = 0; index < 60_000; index++) await ask(`other-${index}`, 5_000_000)
    expect(await ask('bucket-0', 5_000_000)).toBe(1)
  })

  it('refills fractions of a token exactly', async () => {
    const { take } = memoryTokenBuckets()
    const bucket = { key: 'k', capacity: 3, refillMs: 1_000 }
    let granted = 0
    for (let now = 1_767_225_600_000; now < 1_767_225_700_000; now += 7) {
      const [state] = await take({ now, buckets: [bucket] })
      if (state?.retryAfterMs === 0) granted++
    }
    expect(granted).toBe(3 + 300 - 1)
  })
})
