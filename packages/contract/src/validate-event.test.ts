import {
  type EventName,
  eventNames,
  validateCreateGroupRequest,
  validateCreateGroupResponse,
  validateEvent,
  validateReceivedErrorBody,
  validateSummaryRecord,
} from '@wabakit/wire'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { mutate } from '../test/mutations.ts'
import { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
import { buildErrorExample } from './documents/errors.ts'
import { createGroupRequestExample, createGroupResponseExample, eventExamples } from './documents/examples.ts'
import { ReceivedErrorBody } from './error-body.ts'
import { eventSchemas } from './events.ts'
import { validate } from './issue.ts'
import { SummaryRecord } from './summary.ts'

const acceptsEvent = (name: EventName, value: unknown): boolean => {
  const result = validateEvent(name, value)
  return result.success && result.data === value
}

const bodySchemas = { CreateGroupRequest, CreateGroupResponse, SummaryRecord, ReceivedErrorBody }

test.each(eventNames)('parses any %s like its schema', (name) => {
  fc.assert(
    fc.property(mutate(eventExamples[name]), (value) => {
      expect(validateEvent(name, value)).toEqual(validate(eventSchemas[name], value))
    }),
    { numRuns: 500 },
  )
})

const { event: _, ...record } = eventExamples.CALL_AI_SUMMARY

test.each([
  ['CreateGroupRequest', validateCreateGroupRequest, createGroupRequestExample],
  ['CreateGroupResponse', validateCreateGroupResponse, createGroupResponseExample],
  ['SummaryRecord', validateSummaryRecord, record],
  [
    'ReceivedErrorBody',
    validateReceivedErrorBody,
    { ...buildErrorExample('invalid_subject'), message: ['one', 'two'] },
  ],
] as const)('parses any %s like its schema', (name, validateBody, example) => {
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: mutate(example) }, fc.jsonValue()), (value) => {
      expect(validateBody(value)).toEqual(validate<z.ZodMiniType>(bodySchemas[name], value))
    }),
    { numRuns: 1_000 },
  )
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
  expect(validateEvent('CALL_AI_SUMMARY', { ...event, channel: '' })).toEqual({
    success: false,
    issues: [
      { path: 'channel', message: 'channel must not be empty' },
      { path: 'callId', message: 'callId is required' },
    ],
  })
})
