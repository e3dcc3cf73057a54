import { type EventName, eventNames, validateEvent } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { eventSchemas } from './events.ts'

const names = eventNames.filter((name) => name.startsWith('CALL_') && name !== 'CALL_AI_SUMMARY')

const accepts = (event: EventName, fields: object): boolean =>
  eventSchemas[event].safeParse({ event, callId: 'call_1', ...fields }).success

/** Fields of decision 0014, each with a valid and an invalid value. */
const details: ReadonlyArray<[field: string, valid: unknown, invalid: unknown]> = [
  ['channel', 'SMS', 1],
  ['callDirection', 'INTERNAL', true],
  ['callStatus', 'REJECT', 1],
  ['from', '+12025550100', 12025550100],
  ['to', '12025550143', 12025550143],
  ['channelNumber', '+12025550100', {}],
  ['customerNumber', '+12025550143', []],
  ['agentNumber', '+12025550117', 1],
  ['callType', 'IVR', {}],
  ['triggeredVia', 'SCHEDULE', []],
  ['callStartedAt', '2026-01-01T10:00', 'today'],
  ['callEndedAt', '2026-01-01T10:00:00.000Z', 1767261600],
]

test('the lifecycle events are the four in the specification and three from a live service', () => {
  expect(names).toEqual([
    'CALL_INCOMING_INITIATED',
    'CALL_OUTGOING_INITIATED',
    'CALL_ACCEPTED',
    'CALL_ENDED',
    'CALL_MISSED',
    'CALL_REJECTED',
    'CALL_NOT_PICKED',
  ])
})

test.each(names)('%s: only event and callId are required', (name) => {
  expect(accepts(name, {})).toBe(true)
  expect(accepts(name, { callId: undefined })).toBe(false)
  expect(accepts(name, { callId: '' })).toBe(false)
  expect(accepts(name, { event: 'CALL_AI_SUMMARY' })).toBe(false)
})

test.each(names)('%s: each field has its type, or is empty or null', (name) => {
  for (const [field, valid, invalid] of details) {
    expect(accepts(name, { [field]: valid }), field).toBe(true)
    expect(accepts(name, { [field]: '' }), field).toBe(true)
    expect(accepts(name, { [field]: null }), field).toBe(true)
    expect(accepts(name, { [field]: invalid }), field).toBe(false)
  }
})

test('durationInSeconds is a number or null', () => {
  for (const durationInSeconds of [0, 42, null])
    expect(accepts('CALL_ENDED', { durationInSeconds })).toBe(true)
  expect(accepts('CALL_ENDED', { durationInSeconds: '42' })).toBe(false)
})

test.each(names)('%s: an agentNumber that is empty or null is dropped', (name) => {
  const event = { event: name, callId: 'c' }
  for (const agentNumber of ['', null]) {
    expect(validateEvent(name, { ...event, agentNumber })).toStrictEqual({ success: true, data: event })
    expect(eventSchemas[name].parse({ ...event, agentNumber })).toEqual(event)
  }
})

const unchecked = ['customerId', 'chatId', 'chatMessageId', 'pickedBy', 'rejectedBy', 'endedBy', 'deviceId']

test.each(unchecked)('%s is a string, empty or null', (field) => {
  for (const value of ['a', '', null]) {
    const event = { event: 'CALL_ENDED', callId: 'c', [field]: value }
    expect(validateEvent('CALL_ENDED', event)).toEqual({ success: true, data: event })
  }
})

test.each([
  ...unchecked.map((field) => ['CALL_ENDED', field] as const),
  ['CALL_MISSED', 'isNewCaller'] as const,
  ['CALL_MISSED', 'isChatAssigned'] as const,
])('%s without %s if it has another type', (name, field) => {
  for (const value of [1, {}, ['a'], { id: 1 }, ...(field.startsWith('is') ? ['', 'yes'] : [true])]) {
    const event = { event: name, callId: 'c', addedLater: 1 }
    expect(validateEvent(name, { ...event, [field]: value })).toStrictEqual({ success: true, data: event })
    expect(eventSchemas[name].parse({ ...event, [field]: value })).toEqual(event)
  }
})

test('callStartedAt may be empty if the call was not answered', () => {
  const unanswered = {
    chatMessageId: 'm1',
    chatId: 7,
    wabaNumber: '12025550100',
    customerNumber: '12025550143',
    customerName: '',
    customerId: '',
    callDirection: 'INCOMING',
    callStatus: 'MISSED',
    failedReason: '',
    durationInSeconds: 0,
    callStartedAt: '',
    callEndedAt: '2026-01-01T10:00:00Z',
    pickedBy: '',
    rejectedBy: '',
    endedBy: '',
    recordingUrl: '',
    deviceId: '',
  }
  expect(accepts('CALL_ENDED', unanswered)).toBe(true)
  expect(accepts('CALL_MISSED', { ...unanswered, isNewCaller: true, isChatAssigned: false })).toBe(true)
})
