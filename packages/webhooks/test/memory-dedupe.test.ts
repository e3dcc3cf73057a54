import { type Dedupe, memoryDedupe } from '@wabakit/webhooks'
import { describe, expect, it } from 'vitest'
import { claim, dedupeCases } from './dedupe-cases.ts'

describe('memoryDedupe', () => {
  dedupeCases(async (ttlMs) => {
    const dedupe = memoryDedupe({ ttlMs })
    return [dedupe, dedupe]
  })

  const complete = async (dedupe: Dedupe, key: string) => (await claim(dedupe, key, 1_000)).complete()

  it('forgets by when a key was completed, not by when it was claimed', async () => {
    const dedupe = memoryDedupe({ maxEntries: 3 })
    const slow = await claim(dedupe, 'slow')
    for (const key of ['a', 'b']) await complete(dedupe, key)
    await slow.complete()
    await complete(dedupe, 'c')
    expect(dedupe.claim('slow', 1_000)).toBe('duplicate')
    await claim(dedupe, 'a')
  })

  it('never forgets a claim in progress because of its maximum', async () => {
    const dedupe = memoryDedupe({ maxEntries: 2 })
    dedupe.claim('slow', 1_000)
    for (let key = 0; key < 100; key += 1) await complete(dedupe, `${key}`)
    expect(dedupe.claim('slow', 1_000)).toBe('in_progress')
    expect(dedupe.claim('99', 1_000)).toBe('duplicate')
    await claim(dedupe, '0')
  })

  it('forgets claims and completed keys after their times, by its clock', async () => {
    let now = 0
    const dedupe = memoryDedupe({ ttlMs: 10_000, now: () => now })
    dedupe.claim('claimed', 1_000)
    await complete(dedupe, 'done')
    now = 999
    expect(dedupe.claim('claimed', 1_000)).toBe('in_progress')
    now = 1_000
    await claim(dedupe, 'claimed', 1_000)
    now = 9_999
    expect(dedupe.claim('done', 1_000)).toBe('duplicate')
    now = 10_000
    await claim(dedupe, 'done')
  })

  it('takes no longer per key, however many keys it may remember', () => {
    const measure = (maxEntries: number): number => {
      const dedupe = memoryDedupe({ maxEntries })
      const started = process.cpuUsage()
      for (let key = 0; key < 20_000; key += 1) {
        const outcome = dedupe.claim(`${key}`, 1_000)
        if (typeof outcome === 'object' && 'complete' in outcome) outcome.complete()
      }
      expect(dedupe.claim('19999', 1_000)).toBe('duplicate')
      return process.cpuUsage(started).user / 1_000
    }
    expect(measure(10_000)).toBeLessThan(20 * Math.max(10, measure(100)))
  })
})
