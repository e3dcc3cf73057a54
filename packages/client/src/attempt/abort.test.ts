import { longestTimerMs } from '@wabakit/wire'
import { expect, it, onTestFinished, vi } from 'vitest'
import { getAbortReason, openSignal } from './abort.ts'

it('a signal without a reason, as in React Native, gives an AbortError', () => {
  const { signal } = new AbortController()
  expect(getAbortReason(signal)).toMatchObject({ name: 'AbortError', message: 'The call was aborted' })
})

it.each([['a text'], [null], [new Error('enough')]])('gives the reason of a signal: %s', (reason) => {
  expect(getAbortReason(AbortSignal.abort(reason))).toBe(reason)
})

it('an attempt has a timer unless its time limit is longer than timers support', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const longest = openSignal(undefined, longestTimerMs)
  expect(vi.getTimerCount()).toBe(1)
  longest.close()
  expect(vi.getTimerCount()).toBe(0)
  openSignal(undefined, longestTimerMs + 1)
  expect(vi.getTimerCount()).toBe(0)
})
