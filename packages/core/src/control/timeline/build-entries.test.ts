import { expect, test } from 'vitest'
import type { AttemptRecord, CallRecord } from '../../index.ts'
import { newProgress } from '../../storage/progress.ts'
import { type Attempted, buildEntries, markAttempt, markDelivery } from './build-entries.ts'

const attempt = (number: number, startedAt: number, succeeded: boolean): AttemptRecord => ({
  deliveryId: 'd',
  number,
  startedAt,
  durationMs: 1,
  url: 'https://a.example/',
  status: succeeded ? 200 : 500,
  error: null,
  responseBody: null,
  succeeded,
  deferred: false,
})

const delivered = (eventName: string, finishedAt: number | null, attempts: AttemptRecord[]): Attempted => ({
  delivery: {
    id: eventName,
    organizationId: 'acme',
    subscriptionId: 'sub_1',
    eventId: eventName,
    eventName,
    subject: 'call:c1',
    webhookId: eventName,
    status: finishedAt === null ? 'pending' : 'delivered',
    dueAt: finishedAt === null ? 900 : null,
    ...newProgress,
    attempts: attempts.length,
    createdAt: 0,
    finishedAt,
  },
  attempts,
})

const kinds = (marks: readonly { kind: string }[]) => marks.map(({ kind }) => kind)

test('events that were delivered in order have no marks', () => {
  const lane = [delivered('A', 2, [attempt(1, 1, true)]), delivered('B', 4, [attempt(1, 3, true)])]
  expect(lane.flatMap((each) => markDelivery(each, lane))).toEqual([])
})

test('attempts shorter than the rounding of their start times are in order', () => {
  const quick = { ...attempt(1, 5, true), durationMs: 0.1 }
  const lane = [delivered('A', 6, [{ ...quick, durationMs: 0.9 }]), delivered('B', 6, [quick])]
  expect(lane.flatMap((each) => markDelivery(each, lane))).toEqual([])
})

test('an event is reordered before an earlier one, which it overtakes', () => {
  const late = delivered('A', 9, [attempt(1, 1, false), attempt(2, 8, true)])
  const early = delivered('B', 4, [attempt(1, 3, true)])
  const lane = [late, early]
  const ofLate = markDelivery(late, lane)
  expect(ofLate).toEqual([{ kind: 'overtaken', text: 'B, which is later, was delivered first.' }])
  expect(markDelivery(early, lane)).toEqual([
    { kind: 'reordered', text: 'Delivered before A, which is earlier.' },
  ])
  expect(late.attempts.map((each) => kinds(markAttempt(each, late, ofLate)))).toEqual([[], ['overtaken']])
})

test('an event that the endpoint never accepted leaves a gap once a later one is delivered', () => {
  const never = delivered('A', 5, [attempt(1, 1, false)])
  const later = delivered('B', 8, [attempt(1, 7, true)])
  expect(kinds(markDelivery(never, [never, later]))).toEqual(['overtaken', 'gap'])
  expect(markDelivery(never, [never])).toEqual([])
})

test('an attempt after a success is a duplicate', () => {
  const again = delivered('A', 9, [attempt(1, 1, true), attempt(2, 8, true)])
  expect(again.attempts.map((each) => markAttempt(each, again, []))).toEqual([
    [],
    [{ kind: 'duplicate', text: 'The endpoint had accepted this event in attempt 1.' }],
  ])
})

test('a call was missed when it stopped ringing, not when it started', () => {
  const call: CallRecord = {
    organizationId: 'acme',
    callId: 'c1',
    revision: 2,
    state: 'missed',
    channel: 'PSTN',
    direction: 'INCOMING',
    channelNumber: '+15550100002',
    digits: '15550100002',
    customerNumber: '+15550199001',
    agentNumber: null,
    callType: 'AGENT',
    triggeredVia: 'INBOUND',
    publishesEvents: true,
    initiatedAt: 1_000,
    updatedAt: 31_000,
    startedAt: null,
    endedAt: null,
    durationInSeconds: null,
    recorded: null,
    spoken: null,
  }
  const known = { call, summary: undefined, group: undefined, requests: [], events: [] }
  expect(buildEntries(known, [])).toMatchObject([
    { state: 'initiated', at: '1970-01-01T00:00:01.000Z' },
    { state: 'missed', at: '1970-01-01T00:00:31.000Z' },
  ])
})
