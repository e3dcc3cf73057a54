import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateAcceptsEvent } from '../test/accepts-event-source.ts'
import { generateEventRules } from '../test/event-rules-source.ts'
import { mutate } from '../test/mutations.ts'
import { eventExamples } from './documents/examples.ts'
import { eventNames } from './event-name.ts'
import { validate } from './validate.ts'
import { acceptsEvent, validateEvent } from './validate-event.ts'
import { eventSchemas } from './webhook-event.ts'

const hasProto = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')

test('accepts-event.ts is generated from the schemas', async () => {
  await expect(generateAcceptsEvent()).toMatchFileSnapshot('./accepts-event.ts')
})

test('event-rules.ts is generated from the schemas', async () => {
  await expect(generateEventRules()).toMatchFileSnapshot('./event-rules.ts')
})

test.each(eventNames)('finds the same issues in any %s as its schema', (name) => {
  fc.assert(
    fc.property(mutate(eventExamples[name]), (value) => {
      expect(validateEvent(name, value)).toEqual(validate(eventSchemas[name], value))
    }),
    { numRuns: 500 },
  )
})

test.each(eventNames)('accepts exactly the %s that its schema accepts, and returns it unchanged', (name) => {
  let accepted = 0
  fc.assert(
    fc.property(mutate(eventExamples[name]), (value) => {
      const parsed = eventSchemas[name].safeParse(value)
      const dropsProto = hasProto(value) || ('summary' in value && hasProto(value.summary))
      if (!dropsProto) expect(acceptsEvent(name, value)).toBe(parsed.success)
      if (!acceptsEvent(name, value)) return
      accepted += 1
      expect(parsed.data).toEqual(value)
    }),
    { numRuns: 500 },
  )
  expect(accepted).toBeGreaterThan(50)
})

test.each(eventNames)('does not accept %s as another event', (name) => {
  for (const other of eventNames) expect(acceptsEvent(other, eventExamples[name])).toBe(other === name)
})

test.each([undefined, null, 1, 'CALL_ENDED', [], [{ event: 'CALL_ENDED', callId: 'c' }], () => {}])(
  'rejects values that are not objects: %o',
  (value) => {
    for (const name of eventNames) expect(acceptsEvent(name, value)).toBe(false)
  },
)

test('validateEvent returns a valid event itself, not a copy', () => {
  const event = eventExamples.CALL_AI_SUMMARY
  expect(validateEvent('CALL_AI_SUMMARY', event)).toHaveProperty('data', event)
  const result = validateEvent('CALL_AI_SUMMARY', event)
  expect(result.success && result.data).toBe(event)
})

test('validateEvent drops a key named __proto__ and does not change any prototype', () => {
  const text = '{"event":"CALL_ENDED","callId":"c","__proto__":{"polluted":true}}'
  const result = validateEvent('CALL_ENDED', JSON.parse(text))
  expect(result).toStrictEqual({ success: true, data: { event: 'CALL_ENDED', callId: 'c' } })
  expect(result.success && 'polluted' in result.data).toBe(false)
})

test('validateEvent lists the issues of an invalid event', () => {
  const { callId: _, ...event } = eventExamples.CALL_AI_SUMMARY
  expect(validateEvent('CALL_AI_SUMMARY', { ...event, channel: 'SMS' })).toEqual({
    success: false,
    issues: [
      { path: 'channel', message: 'channel must be PSTN or WHATSAPP' },
      { path: 'callId', message: 'callId is required' },
    ],
  })
})
