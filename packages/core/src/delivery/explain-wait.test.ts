import { expect, test } from 'vitest'
import type { AttemptRecord, DeliveryRecord } from '../records.ts'
import { newProgress } from '../storage/progress.ts'
import { decideWait, explainWait, type Surroundings } from './explain-wait.ts'

const delivery = (id: string, overrides: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  id,
  organizationId: 'acme',
  subscriptionId: 'sub_1',
  eventId: `evt_${id}`,
  eventName: id,
  subject: 'call:c1',
  webhookId: `evt_${id}`,
  status: 'waiting',
  dueAt: null,
  ...newProgress,
  createdAt: 0,
  finishedAt: null,
  ...overrides,
})

const explain = (which: DeliveryRecord, surroundings: Partial<Surroundings> = {}) =>
  explainWait(which, {
    now: 100,
    lane: [which],
    waitsFor: null,
    lastAttempt: undefined,
    disabledReason: null,
    maxAttemptsPerSecond: null,
    isEndpointBusy: false,
    ...surroundings,
  })

test('a delivery waits for the one that blocks its lane', () => {
  const holder = delivery('ENDED', { status: 'pending', dueAt: 900, attempts: 2, failures: 2 })
  const waiting = delivery('SUMMARY')
  expect(explain(waiting, { lane: [holder, waiting] })).toEqual({ reason: 'lane', delivery: holder })
})

test('after three failures, a delivery no longer blocks its lane, except for an event that waits for it', () => {
  const failing = delivery('ENDED', { status: 'pending', dueAt: 900, attempts: 3, failures: 3 })
  const waiting = delivery('SUMMARY')
  const lane = [failing, waiting]
  expect(explain(waiting, { lane })).toEqual({ reason: 'slot' })
  expect(explain(waiting, { lane, waitsFor: 'ENDED' })).toEqual({ reason: 'event', delivery: failing })
})

test('a delivery behind one that waits for an event waits for the same event', () => {
  const failing = delivery('ENDED', { status: 'pending', dueAt: 900, failures: 3 })
  const summary = delivery('SUMMARY')
  const last = delivery('LAST')
  expect(explain(last, { lane: [failing, summary, last] })).toEqual({ reason: 'lane', delivery: summary })
})

test('a queue waits for its due time, then for its limit, for its other deliveries, and for capacity', () => {
  expect(decideWait(100, { dueAt: 200, startAt: 300, isFull: true })).toEqual({ reason: 'retry', until: 300 })
  expect(decideWait(100, { dueAt: 100, startAt: 300, isFull: true })).toEqual({ reason: 'limit', until: 300 })
  expect(decideWait(100, { dueAt: 100, startAt: 100, isFull: true })).toEqual({ reason: 'endpoint' })
  expect(decideWait(100, { dueAt: 100, startAt: 100, isFull: false })).toEqual({ reason: 'slot' })
})

test('a pending delivery waits for its time, then for the endpoint or a worker', () => {
  const pending = delivery('A', { status: 'pending', dueAt: 200 })
  expect(explain({ ...pending, failures: 1 })).toEqual({ reason: 'retry', until: 200 })
  expect(explain(pending)).toEqual({ reason: 'retry', until: 200 })
  expect(explain({ ...pending, dueAt: null }, { now: -1 })).toEqual({ reason: 'slot' })
  expect(explain({ ...pending, dueAt: 100 })).toEqual({ reason: 'slot' })
  expect(explain({ ...pending, dueAt: 100 }, { isEndpointBusy: true })).toEqual({ reason: 'endpoint' })
  const limit = { reason: 'limit', maxAttemptsPerSecond: 5 }
  expect(explain({ ...pending, dueAt: 100 }, { isEndpointBusy: true, maxAttemptsPerSecond: 5 })).toEqual(
    limit,
  )
  expect(explain({ ...pending, status: 'attempting' })).toEqual({ reason: 'attempting', until: 200 })
})

test('a delivery was deferred if its last attempt was, whatever the earlier ones were', () => {
  const pending = delivery('A', { status: 'pending', dueAt: 200, attempts: 2, failures: 1, deferrals: 1 })
  const lastAttempt: AttemptRecord = {
    deliveryId: 'A',
    number: 2,
    startedAt: 0,
    durationMs: 1,
    url: 'https://example.com/',
    status: 409,
    error: null,
    responseBody: null,
    succeeded: false,
    deferred: true,
  }
  expect(explain(pending, { lastAttempt })).toEqual({ reason: 'deferred', until: 200 })
  const failure = { ...lastAttempt, status: 500, deferred: false }
  expect(explain(pending, { lastAttempt: failure })).toEqual({ reason: 'retry', until: 200 })
})

test('a skipped delivery waits only while its subscription is disabled, and a finished one never waits', () => {
  const skipped = delivery('A', { status: 'skipped', finishedAt: 1 })
  expect(explain(skipped, { disabledReason: 'gone' })).toEqual({ reason: 'disabled', disabledReason: 'gone' })
  expect(explain(skipped)).toBeUndefined()
  expect(explain({ ...skipped, status: 'delivered' }, { disabledReason: 'gone' })).toBeUndefined()
  expect(explain({ ...skipped, status: 'exhausted' })).toBeUndefined()
})

test('a delivery also waits for one of its lane that is being attempted, but for none that is finished', () => {
  const attempting = delivery('ENDED', { status: 'attempting', dueAt: 900 })
  const finished = delivery('ACCEPTED', { status: 'delivered', finishedAt: 1 })
  const waiting = delivery('SUMMARY')
  const lane = [finished, attempting, waiting]
  expect(explain(waiting, { lane })).toEqual({ reason: 'lane', delivery: attempting })
  expect(explain(waiting, { lane, waitsFor: 'ENDED' })).toEqual({ reason: 'event', delivery: attempting })
  expect(explain(waiting, { lane, waitsFor: 'ACCEPTED' })).toEqual({ reason: 'lane', delivery: attempting })
  expect(explain(waiting, { lane: [finished, waiting] })).toEqual({ reason: 'slot' })
  expect(explain(waiting, { lane: [waiting, attempting] })).toEqual({ reason: 'lane', delivery: attempting })
})
