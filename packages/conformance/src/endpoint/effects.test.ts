import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listen } from '../../test/endpoint.ts'
import { pollEffects, readEffects } from './effects.ts'
import { startServedClock } from './served-clock.ts'

/** Polls the effects of a subject. The first count lasts for three readings, 50 ms apart, and so does the next one. */
const poll = async (counts: readonly number[], effectMs: number): Promise<number[]> => {
  let now = 0
  using running = startServedClock()
  const clock = { ...running, now: () => now }
  const source = (): string => {
    const count = counts[Math.floor(now / 150)] ?? counts.at(-1)
    now += 50
    return 'call-1\n'.repeat(count ?? 0)
  }
  const isEnough = ([count = 0]: readonly number[]): boolean => count > 0
  const { signal } = new AbortController()
  return await pollEffects(source, ['call-1'], { isEnough, settleMs: 200, effectMs, signal, clock })
}

test('effects are counted once their number has not changed for settleMs, although there are enough', async () => {
  expect(await poll([1, 2, 3], 5_000)).toEqual([3])
})

test('effects whose number keeps changing are counted 3 settleMs after effectMs', async () => {
  expect(await poll([1, 2, 3, 4, 5, 6, 7, 8, 9], 300)).toEqual([6])
})

test('effects that do not appear are awaited for effectMs', async () => {
  expect(await poll([0, 0, 1], 250)).toEqual([0])
  expect(await poll([0, 0, 1], 350)).toEqual([1])
})

test('effects are read less and less often while nothing changes', async () => {
  using running = startServedClock()
  const clock = { ...running, now: () => 10 * running.now() }
  let readings = 0
  const source = (): string => {
    readings += 1
    return ''
  }
  const { signal } = new AbortController()
  await pollEffects(source, ['call-1'], {
    isEnough: () => false,
    settleMs: 40,
    effectMs: 10_000,
    signal,
    clock,
  })
  // A hundred, if it were every 10 ms.
  expect(readings).toBeLessThan(40)
})

test('effects of a URL whose response is cut are unreadable, not few', async () => {
  await using page = await listen(
    createServer((_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('call-1\n', () => response.destroy())
    }),
  )
  using clock = startServedClock()
  const { signal } = new AbortController()
  await expect(readEffects(page.url, { signal, clock })).rejects.toThrow(
    /--effects did not respond completely/,
  )
})

test('effects of a URL that is not valid are unreadable', async () => {
  using clock = startServedClock()
  const { signal } = new AbortController()
  await expect(readEffects('http://[', { signal, clock })).rejects.toThrow(/--effects is not valid/)
})

test('effects that become readable late are awaited as long as others', async () => {
  using running = startServedClock()
  let now = 0
  const clock = { ...running, now: () => now }
  // Locked for 2 s, then without the effect for 2 s.
  const source = (): string => {
    now += 250
    if (now <= 2_000) throw new Error('database is locked')
    return now > 4_000 ? 'call-1' : ''
  }
  const { signal } = new AbortController()
  const options = { isEnough: ([count = 0]: readonly number[]) => count > 0, settleMs: 0, effectMs: 3_000 }
  expect(await pollEffects(source, ['call-1'], { ...options, retryReadMs: 3_000, signal, clock })).toEqual([
    1,
  ])
})
