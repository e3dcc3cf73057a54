import { expect, it, onTestFinished, vi } from 'vitest'
import { createNotifier } from './notifier.ts'

const useFakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

it('wakes every waiting loop at the next notification, and leaves no timer behind', async () => {
  useFakeTimers()
  const notifier = createNotifier()
  const waiting = [notifier.wait(0, 1_000), notifier.wait(notifier.count(), Number.POSITIVE_INFINITY)]
  await vi.advanceTimersByTimeAsync(999)
  notifier.notify()
  await Promise.all(waiting)
  expect([notifier.count(), vi.getTimerCount()]).toEqual([1, 0])
})

it('does not make a loop wait if it has missed a notification', async () => {
  useFakeTimers()
  const notifier = createNotifier()
  const seen = notifier.count()
  notifier.notify()
  await notifier.wait(seen, 1_000)
  expect(vi.getTimerCount()).toBe(0)
})

it('wakes a loop after a time, but not at once if the time exceeds the longest timer', async () => {
  useFakeTimers()
  const notifier = createNotifier()
  const [brief, long] = [vi.fn(), vi.fn()]
  void notifier.wait(0, 1_000).then(brief)
  void notifier.wait(0, 2 ** 31).then(long)
  await vi.advanceTimersByTimeAsync(999)
  expect(brief).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(brief).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect(long).not.toHaveBeenCalled()
})
