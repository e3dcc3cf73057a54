import { expect, onTestFinished, test, vi } from 'vitest'
import { startRunTime } from './run-time.ts'

test('a run ends after 20 minutes, however little time its endpoint had on a busy machine', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  // A clock of a machine that never serves this process.
  const clock = { now: () => 0, after: () => () => {} }
  const time = startRunTime({ clock, timeoutMs: undefined, estimateMs: () => 600_000 })
  const ended = vi.fn()
  const cancel = time.after(600_000, ended)
  vi.advanceTimersByTime(1_199_999)
  expect([time.getLeftMs(), ended.mock.calls.length]).toEqual([1, 0])
  vi.advanceTimersByTime(1)
  expect([time.getLeftMs(), ended.mock.calls.length]).toEqual([0, 1])
  cancel()
})

test('a check that begins as the time of the run ends gets no negative time, of which Node.js warns', () => {
  const delays = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => delays.mockRestore())
  const clock = { now: () => 0, after: () => () => {} }
  const time = startRunTime({ clock, timeoutMs: 0, estimateMs: () => 0 })
  time.after(1, () => {})()
  expect(delays.mock.calls.map(([, ms]) => ms)).toEqual([0])
})

test('a check goes on while what it has waited for has extended the estimate', () => {
  let ring = () => {}
  let [now, estimateMs] = [0, 60_000]
  const clock = {
    now: () => now,
    after: (ms: number, callback: () => void) => {
      ring = () => {
        now += ms
        callback()
      }
      return () => {}
    },
  }
  const time = startRunTime({ clock, timeoutMs: undefined, estimateMs: () => estimateMs })
  const ended = vi.fn()
  const cancel = time.after(60_000, ended)
  estimateMs += 30_000
  ring()
  expect([time.getLeftMs(), ended.mock.calls.length]).toEqual([30_000, 0])
  ring()
  expect([time.getLeftMs(), ended.mock.calls.length]).toEqual([0, 1])
  cancel()
})
