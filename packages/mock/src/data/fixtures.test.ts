import {
  type EventName,
  eventNames,
  eventSchemas,
  isPublishedEventName,
  publishedEventSchemas,
} from '@wabakit/contract'
import { parseEvent } from '@wabakit/webhooks'
import { expect, test } from 'vitest'
import { MockUsageError } from '../errors.ts'
import { fixtures } from './fixtures.ts'

test.each(eventNames)(
  'the fixture of %s is valid, as a sender must send it and as a receiver reads it',
  (name) => {
    const event = fixtures.event(name)
    const schema = isPublishedEventName(name) ? publishedEventSchemas[name] : eventSchemas[name]
    expect(schema.safeParse(event).success).toBe(true)
    expect(parseEvent(JSON.stringify(event))).toEqual({ kind: 'event', event, recognizedBy: 'event' })
  },
)

test("is the same in every release: a change breaks users' snapshots", () => {
  expect(
    Object.fromEntries(eventNames.map((name: EventName) => [name, fixtures.event(name)])),
  ).toMatchSnapshot()
})

test('the same input gives an equal event, and never the same object', () => {
  const first = fixtures.event('CALL_AI_SUMMARY')
  expect(fixtures.event('CALL_AI_SUMMARY')).toEqual(first)
  first.summary.keyPoints.push('changed by a test')
  expect(fixtures.event('CALL_AI_SUMMARY').summary.keyPoints).not.toContain('changed by a test')
})

test('keeps related fields consistent', () => {
  const whatsapp = fixtures.event('CALL_ENDED', { channel: 'WHATSAPP', to: '+15550100042' })
  expect(whatsapp.from).toBe(whatsapp.channelNumber)
  expect(whatsapp.from).not.toBe(fixtures.event('CALL_ENDED').from)
  expect(whatsapp.customerNumber).toBe('+15550100042')

  const longer = fixtures.event('CALL_AI_SUMMARY', { durationInSeconds: 90 })
  expect(Date.parse(longer.callEndedAt) - Date.parse(longer.callStartedAt)).toBe(90_000)

  const bot = fixtures.event('CALL_AI_SUMMARY', {
    callType: 'AI_BOT',
    callDirection: 'OUTGOING',
    triggeredVia: 'CAMPAIGN',
  })
  expect(bot).not.toHaveProperty('agentNumber')
})

test('a changed direction changes the trigger, a changed start the end, and a changed number its twin', () => {
  expect(fixtures.event('CALL_ENDED', { callDirection: 'OUTGOING' }).triggeredVia).toBe('UI')
  const later = fixtures.event('CALL_ENDED', {
    callStartedAt: '2026-03-01T00:00:00.000Z',
    durationInSeconds: 30,
  })
  expect(later.callEndedAt).toBe('2026-03-01T00:00:30.000Z')
  const { from, to } = fixtures.event('CALL_ENDED', {
    channelNumber: '+15550100041',
    customerNumber: '+15550100042',
  })
  expect([from, to]).toEqual(['+15550100041', '+15550100042'])
})

test('overrides parts of the summary, and removes fields that are set to undefined', () => {
  const event = fixtures.event('CALL_AI_SUMMARY', { agentNumber: undefined, summary: { recap: 'Short.' } })
  expect(event.summary).toEqual({ ...fixtures.event('CALL_AI_SUMMARY').summary, recap: 'Short.' })
  expect('agentNumber' in event).toBe(false)
})

test('rejects an unknown name and overrides that violate the contract, and explains what to do', () => {
  expect(() => fixtures.event('CALL_SUMMARY' as 'CALL_AI_SUMMARY')).toThrow('Did you mean "CALL_AI_SUMMARY"?')
  expect(() => fixtures.event('CALL_ENDED', { from: '+1555', channelNumber: '+1666' })).toThrow(
    MockUsageError,
  )
  expect(() => fixtures.event('CALL_ENDED', { callDirection: 'SIDEWAYS' as 'INCOMING' })).toThrow(
    /callDirection.*change a valid one/,
  )
})
