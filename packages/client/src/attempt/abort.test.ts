import { expect, it } from 'vitest'
import { getAbortReason } from './abort.ts'

it('a signal without a reason, as in React Native, gives an AbortError', () => {
  const { signal } = new AbortController()
  expect(getAbortReason(signal)).toMatchObject({ name: 'AbortError', message: 'The call was aborted' })
})

it.each([['a text'], [null], [new Error('enough')]])('gives the reason of a signal: %s', (reason) => {
  expect(getAbortReason(AbortSignal.abort(reason))).toBe(reason)
})
