import { validateEvent } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { publishedExamples } from './documents/examples.ts'
import { CallAiSummaryEvent } from './events.ts'

const event = publishedExamples.CALL_AI_SUMMARY

const accepts = (fields: object): boolean => CallAiSummaryEvent.safeParse({ ...event, ...fields }).success

const required = [
  'event',
  'channel',
  'callId',
  'callDirection',
  'callStatus',
  'durationInSeconds',
  'callStartedAt',
  'callEndedAt',
  'from',
  'to',
  'channelNumber',
  'customerNumber',
  'callType',
  'triggeredVia',
  'summary',
]

test.each(required)('%s is required', (field) => {
  const { [field]: _, ...rest }: Record<string, unknown> = event
  expect(CallAiSummaryEvent.safeParse(event).success).toBe(true)
  expect(CallAiSummaryEvent.safeParse(rest).success).toBe(false)
  expect(accepts({ [field]: null })).toBe(false)
})

test('event is CALL_AI_SUMMARY', () => {
  for (const name of ['call_ai_summary', 'CALL_ENDED', '']) expect(accepts({ event: name })).toBe(false)
})

test.each([
  ['channel', ['PSTN', 'WHATSAPP', 'SMS', 'pstn']],
  ['callDirection', ['INCOMING', 'OUTGOING', 'INTERNAL']],
  ['callStatus', ['END', 'FAILED', 'ENDED_BY_TRANSFER']],
  ['callType', ['AI_BOT', 'AGENT', 'IVR']],
  ['triggeredVia', ['INBOUND', 'CAMPAIGN', 'API', 'UI', 'SCHEDULE']],
])('%s may have any value, known or not, but must be a non-empty string', (field, values) => {
  for (const value of values) {
    const changed = { ...event, [field]: value }
    expect(validateEvent('CALL_AI_SUMMARY', changed)).toEqual({ success: true, data: changed })
    expect(CallAiSummaryEvent.parse(changed)).toEqual(changed)
  }
  for (const value of ['', 1, true, [], {}]) expect(accepts({ [field]: value })).toBe(false)
})

test('callId must not be empty', () => {
  expect(accepts({ callId: '' })).toBe(false)
})

test('an agentNumber that is empty or null is dropped', () => {
  const { agentNumber: _, ...withoutAgent } = event
  for (const agentNumber of ['', null, undefined]) {
    const unset = { ...withoutAgent, agentNumber }
    expect(CallAiSummaryEvent.parse(unset)).toEqual(withoutAgent)
    if (agentNumber === undefined) continue
    expect(validateEvent('CALL_AI_SUMMARY', unset)).toStrictEqual({ success: true, data: withoutAgent })
  }
  expect(accepts({ agentNumber: '+12025550117' })).toBe(true)
  expect(accepts({ agentNumber: 12025550117 })).toBe(false)
})

test('durationInSeconds must be a finite number', () => {
  for (const durationInSeconds of [0, 42, 41.5]) expect(accepts({ durationInSeconds })).toBe(true)
  for (const durationInSeconds of ['42', Number.NaN, JSON.parse('1e999')]) {
    expect(accepts({ durationInSeconds })).toBe(false)
  }
})

test('callStartedAt and callEndedAt may be in any ISO 8601 format', () => {
  for (const field of ['callStartedAt', 'callEndedAt']) {
    expect(accepts({ [field]: '2026-01-01T10:00:00+0530' })).toBe(true)
    expect(accepts({ [field]: '' })).toBe(false)
    expect(accepts({ [field]: 'today' })).toBe(false)
  }
})

test('parsing does not require from to equal channelNumber', () => {
  expect(accepts({ channelNumber: '12025550100', customerNumber: '12025550143' })).toBe(true)
})

test.each(['recap', 'keyPoints', 'nextSteps'])('summary.%s is required', (field) => {
  const { [field]: _, ...rest }: Record<string, unknown> = event.summary
  expect(accepts({ summary: rest })).toBe(false)
})

test('keyPoints and nextSteps are arrays of strings, and may be empty', () => {
  for (const field of ['keyPoints', 'nextSteps']) {
    expect(accepts({ summary: { ...event.summary, [field]: [] } })).toBe(true)
    expect(accepts({ summary: { ...event.summary, [field]: ['a', 1] } })).toBe(false)
    expect(accepts({ summary: { ...event.summary, [field]: 'a' } })).toBe(false)
  }
})

test('unknown fields are kept, in the event and in its summary', () => {
  const extended = { ...event, addedLater: 1, summary: { ...event.summary, sentiment: 'good' } }
  expect(CallAiSummaryEvent.parse(extended)).toEqual(extended)
})
