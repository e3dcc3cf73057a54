import { expect, it } from 'vitest'
import { startBudget } from './send.ts'

it('starts no wait if the signal has aborted', async () => {
  const sleeps: number[] = []
  const clock = { now: () => 0, elapsed: () => 0, sleep: async (ms: number) => void sleeps.push(ms) }
  const signal = AbortSignal.abort('enough')
  await expect(startBudget({ clock }, 1_000).pause(10, signal)).rejects.toBe('enough')
  expect(sleeps).toEqual([])
})
