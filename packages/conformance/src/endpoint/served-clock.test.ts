import { expect, onTestFinished, test, vi } from 'vitest'
import { type Reading, startServedClock } from './served-clock.ts'

/** Starts a clock of a thread that has work for a tenth of the time, and a CPU for a part of that. */
const start = (share: number) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const reading = { passed: 0, active: 0, cpu: 0 }
  const pass = (ms: number): void => {
    for (let tick = 0; tick < ms; tick += 50) {
      reading.passed += 50
      reading.active += 5
      reading.cpu += 5 * share
      vi.advanceTimersByTime(50)
    }
  }
  const clock = startServedClock((): Reading => ({ ...reading }))
  onTestFinished(() => clock[Symbol.dispose]())
  return { clock, reading, pass }
}

test('a process that has a CPU whenever it needs one is served all the time', () => {
  const { clock, pass } = start(1)
  pass(10_000)
  expect([clock.now(), clock.isTooBusy()]).toEqual([10_000, false])
})

test('the clock runs slower when the CPUs are shared', () => {
  const { clock, pass } = start(1 / 4)
  pass(10_000)
  const before = clock.now()
  pass(10_000)
  expect(clock.now() - before).toBeGreaterThan(2_500)
  expect(clock.now() - before).toBeLessThan(4_000)
  expect(clock.isTooBusy()).toBe(false)
})

test('a time limit proves nothing when work takes more than ten times as long as usual', () => {
  const { clock, pass } = start(1 / 100)
  pass(10_000)
  expect(clock.isTooBusy()).toBe(true)
})

test('time in which the process was stopped does not count, and what waits gets its time afterwards', () => {
  const { clock, reading, pass } = start(1)
  const ended = vi.fn()
  clock.after(1_000, ended)
  reading.passed += 60_000
  vi.advanceTimersByTime(50)
  expect(clock.now()).toBe(100)
  pass(850)
  expect(ended).not.toHaveBeenCalled()
  pass(150)
  expect(ended).toHaveBeenCalledOnce()
})

test('what was canceled is not called', () => {
  const { clock, pass } = start(1)
  const ended = vi.fn()
  clock.after(1_000, ended)()
  pass(2_000)
  expect(ended).not.toHaveBeenCalled()
})
