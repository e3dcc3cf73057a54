import { expect, test } from 'vitest'
import { defer, delivered, exhausted, gone, retry } from '../../test/store-cases/deliveries.ts'
import { start } from '../../test/store-cases/records.ts'
import type { AttemptVerdict, Settlement } from '../store.ts'
import type { Health } from './decide-health.ts'
import type { BeforeSettlement } from './decide-settlement.ts'
import { decideSettlement, newProgress, operatorId } from './index.ts'

const minute = 60_000
const day = 1_440 * minute
const well: Health = { disabledReason: null, failingSince: null, isReported: false }

type Changes = {
  readonly delivery?: Partial<BeforeSettlement['delivery']>
  readonly subscription?: Partial<Health>
  readonly now?: number
  readonly organizationId?: string
}

const decide = (result: AttemptVerdict, changes: Changes = {}) => {
  const { delivery, subscription, now = start, organizationId = 'acme' } = changes
  const before: BeforeSettlement = {
    delivery: {
      state: 'fresh',
      ...newProgress,
      finishedAt: null,
      ...delivery,
    },
    subscription: { ...well, ...subscription },
  }
  const settlement: Settlement = {
    id: 'dlv_1',
    shard: 0,
    epoch: 0,
    version: 0,
    now,
    result,
    failingLimitMs: 5 * day,
    delivery: {
      id: 'dlv_1',
      eventId: 'evt_1',
      organizationId,
      subscriptionId: 'sub_1',
      eventName: 'A',
      ...{
        subject: 's',
        webhookId: 'evt_1',
        status: 'pending',
        dueAt: start,
        createdAt: 0,
        finishedAt: null,
      },
      ...newProgress,
      attempts: before.delivery.attempts,
    },
  }
  return decideSettlement(before, settlement)
}

const listTypes = (...args: Parameters<typeof decide>): string[] =>
  decide(...args).health.map(({ type }) => type)

test('a delivery that has released its lane does not block it again', () => {
  expect(decide(retry(5_000), { delivery: { state: 'passable' } }).delivery.state).toBe('passable')
  expect(decide(defer(5_000), { delivery: { state: 'passable' } }).delivery.state).toBe('passable')
})

test('a delivery that was skipped during its attempt stays so, unless it was delivered', () => {
  const delivery = { state: 'skipped', finishedAt: start - 1 } as const
  for (const result of [retry(5_000), exhausted, defer(5_000)]) {
    expect(decide(result, { delivery }).delivery).toMatchObject({ state: 'skipped', finishedAt: start - 1 })
  }
  expect(decide(delivered, { delivery }).delivery).toMatchObject({ state: 'delivered', finishedAt: start })
  expect(listTypes(exhausted, { delivery, subscription: { disabledReason: 'by_hand' } })).toEqual([])
})

test('an endpoint that is gone was not failing, and counts as failing since then', () => {
  expect(decide(gone)).toMatchObject({ disabled: 'gone', isReported: true, failingSince: start })
  expect(listTypes(gone)).toEqual(['subscription.disabled'])
  const long = { subscription: { failingSince: start - 10 * minute } }
  expect(listTypes(gone, long)).toEqual(['subscription.disabled'])
  expect(listTypes(retry(1), long)).toEqual(['subscription.failing'])
  expect(listTypes(retry(1), { subscription: { failingSince: start - 10 * minute + 1 } })).toEqual([])
  expect(listTypes(defer(1), long)).toEqual([])
})

test('a health event has the time of the first failure, and a reason only if it is about disabling', () => {
  const since = { subscription: { failingSince: start - 5 * day } }
  expect(decide(retry(1), since).health).toMatchObject([
    {
      type: 'subscription.failing',
      data: { failingSince: '2025-12-27T00:00:00.000Z', disabledReason: null },
    },
    {
      type: 'subscription.disabled',
      data: { failingSince: '2025-12-27T00:00:00.000Z', disabledReason: 'failing', attempts: 1 },
    },
  ])
  const reported = { subscription: { isReported: true, failingSince: null } }
  expect(decide(delivered, reported).health).toMatchObject([
    {
      type: 'subscription.recovered',
      data: { failingSince: null, lastResponse: { status: 200, error: null } },
    },
  ])
})

test('a health event goes to the organization and to the operator, and to the operator once', () => {
  const { events } = decide(exhausted)
  expect(events.map(({ name, organizationId }) => [name, organizationId])).toEqual([
    ['delivery.exhausted', 'acme'],
    ['delivery.exhausted', operatorId],
    ['subscription.failing', 'acme'],
    ['subscription.failing', operatorId],
  ])
  expect(new Set(events.map(({ id }) => id)).size).toBe(4)
  for (const { id, hasCustomPayload, payload } of events) {
    expect(id).toMatch(/^hlt_[\da-f]{32}(?:_operator)?$/)
    expect([hasCustomPayload, JSON.parse(payload).data.organizationId]).toEqual([false, 'acme'])
  }
  const own = decide(exhausted, { organizationId: operatorId }).events
  expect(own.map(({ organizationId }) => organizationId)).toEqual([operatorId, operatorId])
})
