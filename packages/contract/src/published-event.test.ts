import { eventNames } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { publishedExamples } from './documents/examples.ts'
import {
  isPublishedEventName,
  type PublishedEventName,
  publishedEventNames,
  publishedEventSchemas,
} from './published-event.ts'

const accepts = (name: PublishedEventName, fields: object = {}): boolean =>
  publishedEventSchemas[name].safeParse({ ...publishedExamples[name], ...fields }).success

const groupNames = publishedEventNames.filter((name) => name.startsWith('GROUP_'))
const callNames = publishedEventNames.filter((name) => name.startsWith('CALL_'))

test('the reference server sends every event but those that only live services send', () => {
  const observed = ['CALL_MISSED', 'CALL_REJECTED', 'CALL_NOT_PICKED']
  expect(publishedEventNames).toEqual(eventNames.filter((name) => !observed.includes(name)))
  for (const name of [...publishedEventNames, 'CALL_MISSED', 'toString', undefined]) {
    expect(isPublishedEventName(name)).toBe(publishedEventNames.some((each) => each === name))
  }
})

test.each(publishedEventNames)('%s: unknown fields are rejected', (name) => {
  expect(accepts(name, { orgId: 'o' })).toBe(false)
})

test.each(publishedEventNames)('%s: no field is null or empty, and event has the right name', (name) => {
  for (const field of Object.keys(publishedExamples[name])) {
    expect(accepts(name, { [field]: '' }), field).toBe(name === 'GROUP_CREATED' && field === 'inviteLink')
    expect(accepts(name, { [field]: null }), field).toBe(name === 'GROUP_CREATED' && field === 'inviteLink')
  }
  for (const other of publishedEventNames) expect(accepts(name, { event: other })).toBe(other === name)
})

test.each(publishedEventNames)('%s: timestamps are in UTC with milliseconds', (name) => {
  for (const field of Object.keys(publishedExamples[name]).filter((each) => each.endsWith('At'))) {
    for (const value of [
      '2026-01-01T10:00:00Z',
      '2026-01-01T10:00:00.000+00:00',
      '2026-01-01T10:00:00.000',
    ]) {
      expect(accepts(name, { [field]: value }), field).toBe(false)
    }
  }
})

test.each(groupNames)('%s: groupId has at most 50, groupName at most 128 code points', (name) => {
  expect(accepts(name, { groupId: '😀'.repeat(50), groupName: '😀'.repeat(128) })).toBe(true)
  expect(accepts(name, { groupId: '😀'.repeat(51) })).toBe(false)
  expect(accepts(name, { groupName: '😀'.repeat(129) })).toBe(false)
})

test.each(callNames)('%s: from equals channelNumber, and to equals customerNumber', (name) => {
  const sides = ['from', 'to', 'channelNumber', 'customerNumber']
  for (const side of sides) expect(accepts(name, { [side]: '+12025550199' }), side).toBe(false)
  expect(accepts(name, { from: '+12025550199', channelNumber: '+12025550199' })).toBe(true)
  expect(accepts(name, { to: '+12025550199', customerNumber: '+12025550199' })).toBe(true)
})

test.each(callNames)('%s: agentNumber may be absent, but not empty', (name) => {
  const { agentNumber: _, ...withoutAgent }: Record<string, unknown> = publishedExamples[name]
  expect(publishedEventSchemas[name].safeParse(withoutAgent).success).toBe(true)
  expect(accepts(name, { agentNumber: '' })).toBe(false)
})

test('each call event has its own callStatus: INITIATED, IN_PROGRESS or END', () => {
  const statuses = {
    CALL_INCOMING_INITIATED: 'INITIATED',
    CALL_OUTGOING_INITIATED: 'INITIATED',
    CALL_ACCEPTED: 'IN_PROGRESS',
    CALL_ENDED: 'END',
    CALL_AI_SUMMARY: 'END',
  }
  for (const name of callNames) {
    for (const callStatus of ['INITIATED', 'IN_PROGRESS', 'END', 'ENDED']) {
      const expected = Object.entries(statuses).some(
        ([event, status]) => event === name && status === callStatus,
      )
      expect(accepts(name, { callStatus }), `${name} ${callStatus}`).toBe(expected)
    }
  }
})

test.each(callNames)('%s: enumerated fields have known values only', (name) => {
  for (const field of ['channel', 'callDirection', 'callStatus', 'callType', 'triggeredVia']) {
    expect(accepts(name, { [field]: 'ADDED_LATER' }), field).toBe(false)
  }
})

test('an INITIATED event has the direction in its name', () => {
  expect(accepts('CALL_INCOMING_INITIATED', { callDirection: 'OUTGOING' })).toBe(false)
  expect(accepts('CALL_OUTGOING_INITIATED', { callDirection: 'INCOMING' })).toBe(false)
  expect(accepts('CALL_ENDED', { callDirection: 'OUTGOING' })).toBe(true)
})

test('durationInSeconds must not be negative', () => {
  for (const name of ['CALL_ENDED', 'CALL_AI_SUMMARY'] as const) {
    expect(accepts(name, { durationInSeconds: 0 })).toBe(true)
    expect(accepts(name, { durationInSeconds: -1 })).toBe(false)
  }
})
