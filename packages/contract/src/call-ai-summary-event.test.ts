import { expect, test } from 'vitest'
import { CallAiSummaryEvent } from './call-ai-summary-event.ts'
import { emittedExamples } from './documents/examples.ts'

const event = emittedExamples.CALL_AI_SUMMARY

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

test.each([
  ['event', ['CALL_AI_SUMMARY'], ['call_ai_summary', 'CALL_ENDED', '']],
  ['channel', ['PSTN', 'WHATSAPP'], ['pstn', 'SMS', '']],
  ['callDirection', ['INCOMING', 'OUTGOING'], ['INBOUND', '']],
  ['callType', ['AI_BOT', 'AGENT'], ['BOT', '']],
  ['triggeredVia', ['INBOUND', 'CAMPAIGN', 'API', 'UI'], ['OUTBOUND', '']],
])('%s accepts %j and rejects %j', (field, allowed, others) => {
  for (const value of allowed) expect(accepts({ [field]: value })).toBe(true)
  for (const value of others) expect(accepts({ [field]: value })).toBe(false)
})

test('callStatus may have any value', () => {
  for (const callStatus of ['END', 'FAILED', 'SOMETHING_NEW']) expect(accepts({ callStatus })).toBe(true)
})

test('callId must not be empty', () => {
  expect(accepts({ callId: '' })).toBe(false)
})

test('agentNumber may be absent, but not empty or null', () => {
  const { agentNumber: _, ...withoutAgent } = event
  expect(CallAiSummaryEvent.safeParse(withoutAgent).success).toBe(true)
  expect(accepts({ agentNumber: '+12025550117' })).toBe(true)
  expect(accepts({ agentNumber: '' })).toBe(false)
  expect(accepts({ agentNumber: null })).toBe(false)
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
