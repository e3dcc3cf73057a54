import { isEventName } from '@wabakit/wire'
import { expect, test } from 'vitest'

test.each([
  'WA_GROUP_MESSAGE_RECEIVED',
  'CALL_PERMISSION_REPLY_RECEIVED',
  'call_ended',
  '',
  'toString',
  '__proto__',
])('%j is not a known name', (name) => {
  expect(isEventName(name)).toBe(false)
})

test.each([undefined, null, 1, ['CALL_ENDED'], {}])('%o is not a known name', (name) => {
  expect(isEventName(name)).toBe(false)
})
