import { expect, it, onTestFinished, vi } from 'vitest'
import { createBell } from './bell.ts'

const useFakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

it('wakes every waiting loop at the next ring, and leaves no timer behind', async () => {
  useFakeTimers()
  const bell = createBell()
  const waiting = [bell.wait(0, 1_000), bell.wait(bell.count(), Number.POSITIVE_INFINITY)]
  await vi.advanceTimersByTimeAsync(999)
  bell.ring()
  await Promise.all(waiting)
  expect([bell.count(), vi.getTimerCount()]).toEqual([1, 0])
})

it('does not make a loop wait if it has missed a ring', async () => {
  useFakeTimers()
  const bell = createBell()
  const seen = bell.count()
  bell.ring()
  await bell.wait(seen, 1_000)
  expect(vi.getTimerCount()).toBe(0)
})

it('wakes a loop after a time, but not at once if the time exceeds the longest timer', async () => {
  useFakeTimers()
  const bell = createBell()
  const [brief, long] = [vi.fn(), vi.fn()]
  void bell.wait(0, 1_000).then(brief)
  void bell.wait(0, 2 ** 31).then(long)
  await vi.advanceTimersByTimeAsync(999)
  expect(brief).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(brief).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect(long).not.toHaveBeenCalled()
})
