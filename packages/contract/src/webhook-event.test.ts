import { eventNames, isEventName } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { eventExamples } from './documents/examples.ts'
import { eventSchemas } from './events.ts'
import { publishedEventNames } from './published-event.ts'

test('the known events are those of the specification, then three from a live service', () => {
  expect(eventNames).toEqual([...publishedEventNames, 'CALL_MISSED', 'CALL_REJECTED', 'CALL_NOT_PICKED'])
})

test.each(eventNames)('%s is a known name, and its schema accepts its example', (name) => {
  expect(isEventName(name)).toBe(true)
  expect(eventSchemas[name].parse(eventExamples[name])).toEqual(eventExamples[name])
})

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
