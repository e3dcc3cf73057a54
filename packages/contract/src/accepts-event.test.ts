import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { acceptsEventSource } from '../test/accepts-event-source.ts'
import { eventRulesSource } from '../test/event-rules-source.ts'
import { mutationsOf } from '../test/mutations.ts'
import { acceptsEvent } from './accepts-event.ts'
import { eventExamples } from './documents/examples.ts'
import { eventNames } from './event-name.ts'
import { validate } from './validate.ts'
import { validateEvent } from './validate-event.ts'
import { eventSchemas } from './webhook-event.ts'

const hasProto = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')

test('the conditions are written from the schemas', async () => {
  await expect(acceptsEventSource()).toMatchFileSnapshot('./accepts-event.ts')
})

test('the rules are written from the schemas', async () => {
  await expect(eventRulesSource()).toMatchFileSnapshot('./event-rules.ts')
})

test.each(eventNames)('says of any %s exactly what its schema says', (name) => {
  fc.assert(
    fc.property(mutationsOf(eventExamples[name]), (value) => {
      expect(validateEvent(name, value)).toEqual(validate(eventSchemas[name], value))
    }),
    { numRuns: 500 },
  )
})

test.each(eventNames)('accepts of any %s exactly what its schema accepts, and unchanged', (name) => {
  let accepted = 0
  fc.assert(
    fc.property(mutationsOf(eventExamples[name]), (value) => {
      const parsed = eventSchemas[name].safeParse(value)
      const dropsProto = hasProto(value) || ('summary' in value && hasProto(value.summary))
      if (!dropsProto) expect(acceptsEvent[name](value)).toBe(parsed.success)
      if (!acceptsEvent[name](value)) return
      accepted += 1
      expect(parsed.data).toEqual(value)
    }),
    { numRuns: 500 },
  )
  expect(accepted).toBeGreaterThan(50)
})

test.each(eventNames)('accepts no %s under another name', (name) => {
  for (const other of eventNames) expect(acceptsEvent[other](eventExamples[name])).toBe(other === name)
})

test.each([undefined, null, 1, 'CALL_ENDED', [], [{ event: 'CALL_ENDED', callId: 'c' }], () => {}])(
  'accepts nothing that is no object: %o',
  (value) => {
    for (const name of eventNames) expect(acceptsEvent[name](value)).toBe(false)
  },
)

test('validateEvent returns a valid event itself, not a copy', () => {
  const event = eventExamples.CALL_AI_SUMMARY
  expect(validateEvent('CALL_AI_SUMMARY', event)).toHaveProperty('data', event)
  const result = validateEvent('CALL_AI_SUMMARY', event)
  expect(result.success && result.data).toBe(event)
})

test('validateEvent drops a key named __proto__, and changes no prototype', () => {
  const text = '{"event":"CALL_ENDED","callId":"c","__proto__":{"polluted":true}}'
  const result = validateEvent('CALL_ENDED', JSON.parse(text))
  expect(result).toStrictEqual({ success: true, data: { event: 'CALL_ENDED', callId: 'c' } })
  expect(result.success && 'polluted' in result.data).toBe(false)
})

test('validateEvent says what does not fit', () => {
  const { callId: _, ...event } = eventExamples.CALL_AI_SUMMARY
  expect(validateEvent('CALL_AI_SUMMARY', { ...event, channel: 'SMS' })).toEqual({
    success: false,
    issues: [
      { path: 'channel', message: 'channel must be PSTN or WHATSAPP' },
      { path: 'callId', message: 'callId is required' },
    ],
  })
})
