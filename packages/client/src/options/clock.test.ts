import { getEventListeners } from 'node:events'
import { longestTimerMs } from '@wabakit/wire'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createClock } from './clock.ts'

const now = Date.UTC(2026, 0, 1)

beforeEach(() => void vi.useFakeTimers({ now }))
afterEach(() => {
  // In this order, because a stubbed global cannot get its real timers back.
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('tells the current time', () => {
  expect(createClock(undefined).now()).toBe(now)
})

it('measures durations with Date in a runtime without performance', () => {
  vi.stubGlobal('performance', undefined)
  expect(createClock(undefined).elapsed()).toBe(now)
})

it('sleeps until the time is up, and leaves no listener', async () => {
  const { signal } = new AbortController()
  const sleeping = createClock(undefined).sleep(5_000, signal)
  await vi.advanceTimersByTimeAsync(4_999)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  await sleeping
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('removes the timer when the signal aborts', async () => {
  const controller = new AbortController()
  const sleeping = createClock(undefined).sleep(5_000, controller.signal)
  controller.abort()
  expect(vi.getTimerCount()).toBe(0)
  await sleeping
})

it('does not wake at once from a sleep that is longer than timers support', async () => {
  void createClock(undefined).sleep(longestTimerMs + 1, undefined)
  await vi.advanceTimersByTimeAsync(longestTimerMs - 1)
  expect(vi.getTimerCount()).toBe(1)
})
