import { memoryDedupe } from '@wabakit/webhooks'
import { describe, expect, it } from 'vitest'
import { dedupeCases } from './dedupe-cases.ts'

describe('memoryDedupe', () => {
  dedupeCases(async (ttlMs) => {
    const dedupe = memoryDedupe({ ttlMs })
    return [dedupe, dedupe]
  })

  const complete = (dedupe: ReturnType<typeof memoryDedupe>, key: string) => {
    const outcome = dedupe.claim(key, 1_000)
    dedupe.complete(key)
    return outcome
  }

  it('forgets the oldest completed keys beyond its bound', () => {
    const dedupe = memoryDedupe({ maxEntries: 3 })
    for (const key of ['a', 'b', 'c', 'd']) complete(dedupe, key)
    expect(dedupe.claim('b', 1_000)).toBe('duplicate')
    expect(dedupe.claim('a', 1_000)).toBe('claimed')
  })

  it('never forgets a claim in progress for its bound', () => {
    const dedupe = memoryDedupe({ maxEntries: 2 })
    dedupe.claim('slow', 1_000)
    for (let key = 0; key < 100; key += 1) complete(dedupe, `${key}`)
    expect(dedupe.claim('slow', 1_000)).toBe('in_progress')
    expect(dedupe.claim('99', 1_000)).toBe('duplicate')
    expect(dedupe.claim('0', 1_000)).toBe('claimed')
  })

  it('forgets by its clock: claims after their time, completed keys after theirs', () => {
    let now = 0
    const dedupe = memoryDedupe({ ttlMs: 10_000, now: () => now })
    dedupe.claim('claimed', 1_000)
    complete(dedupe, 'done')
    now = 999
    expect(dedupe.claim('claimed', 1_000)).toBe('in_progress')
    now = 1_000
    expect(dedupe.claim('claimed', 1_000)).toBe('claimed')
    now = 9_999
    expect(dedupe.claim('done', 1_000)).toBe('duplicate')
    now = 10_000
    expect(dedupe.claim('done', 1_000)).toBe('claimed')
  })

  it('takes no longer per key when it is full', () => {
    const dedupe = memoryDedupe({ maxEntries: 10_000 })
    const started = performance.now()
    for (let key = 0; key < 200_000; key += 1) complete(dedupe, `${key}`)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
