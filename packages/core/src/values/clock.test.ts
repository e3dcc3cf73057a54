import { expect, onTestFinished, test, vi } from 'vitest'
import { createServiceClock, maxDriftMs, startBackgroundTimer } from './clock.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 0, 1)

/** A machine and a service clock on it. `wall` and `elapsed` run on their own. */
const createMachine = () => {
  const machine = { wall: start, elapsed: 500, uptime: 9_000 }
  const steps: number[] = []
  const readings = { uptime: 0 }
  const clock = createServiceClock({
    wall: () => machine.wall,
    elapsed: () => machine.elapsed,
    uptime: () => {
      readings.uptime++
      return machine.uptime
    },
    onStep: (stepMs) => steps.push(stepMs),
  })
  const pass = (ms: number, wallMs = ms): void => {
    machine.wall += wallMs
    machine.elapsed += ms
    machine.uptime += ms
  }
  const suspend = (ms: number): void => {
    machine.wall += ms
    machine.uptime += ms
  }
  return { clock, machine, steps, readings, pass, suspend }
}

test.each([6 * day, -2 * day, 60_001, -60_001])('ignores a step of the wall clock by %i ms', (step) => {
  const { clock, machine, steps, pass } = createMachine()
  pass(2_000)
  expect(clock.now()).toBe(start + 2_000)
  machine.wall += step
  expect(clock.now()).toBe(start + 2_000)
  pass(hour)
  expect([clock.now(), clock.wall()]).toEqual([start + 2_000 + hour, start + 2_000 + hour + step])
  expect(steps).toEqual([step])
})

test('equals the wall clock again when a step has been undone', () => {
  const { clock, machine, pass } = createMachine()
  for (const step of [40 * day, -40 * day]) {
    pass(1_000)
    machine.wall += step
    clock.now()
  }
  expect(clock.now()).toBe(clock.wall())
})

test('follows a wall clock that runs faster or slower than the elapsed time', () => {
  const { clock, steps, pass } = createMachine()
  for (const rate of [1.01, 0.99, 1.01]) {
    for (let reading = 0; reading < 100; reading++) {
      pass(hour, rate * hour)
      expect(clock.now()).toBe(clock.wall())
    }
  }
  expect(steps).toEqual([])
})

test('counts time during which the machine was suspended', () => {
  const { clock, machine, steps, suspend } = createMachine()
  suspend(8 * hour)
  expect(clock.now()).toBe(start + 8 * hour)
  suspend(8 * hour)
  machine.wall += 6 * day
  expect(clock.now()).toBe(start + 16 * hour)
  expect(steps).toEqual([6 * day])
})

test.each([maxDriftMs, -maxDriftMs])('follows a drift of %i ms, without reading the uptime', (drift) => {
  const { clock, machine, steps, readings, pass } = createMachine()
  const before = readings.uptime
  pass(hour)
  machine.wall += drift
  expect(clock.now()).toBe(clock.wall())
  expect([steps, readings.uptime - before]).toEqual([[], 0])
})

test.each([maxDriftMs, -maxDriftMs])('follows a drift of %i ms during a suspension', (drift) => {
  const { clock, machine, steps, suspend } = createMachine()
  suspend(8 * hour)
  machine.wall += drift
  expect(clock.now()).toBe(clock.wall())
  expect(steps).toEqual([])
})

test("by default, reads the machine's clocks", () => {
  vi.useFakeTimers({ now: start })
  onTestFinished(() => void vi.useRealTimers())
  const clock = createServiceClock()
  vi.advanceTimersByTime(2_000)
  expect(clock.now()).toBe(start + 2_000)
  vi.setSystemTime(start + 6 * day)
  expect([clock.now(), clock.wall()]).toEqual([start + 2_000, start + 6 * day])
})

test('a background timer is a plain timer where timers are numbers', () => {
  vi.stubGlobal('setTimeout', () => 7)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(startBackgroundTimer(() => {}, 1)).toBe(7)
})
