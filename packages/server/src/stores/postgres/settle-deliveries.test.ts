import { expect, test } from 'vitest'
import { start } from '../../../../core/test/store-cases/index.ts'
import { delivered } from '../../../test/attempts.ts'
import type { QueueChanges } from './queue-changes.ts'
import { createSettlements } from './settle-deliveries.ts'

const settlement = {
  id: 'dlv_1_1',
  version: 1,
  shard: 0,
  epoch: 0,
  now: start,
  failingLimitMs: 1,
  result: delivered,
  delivery: {
    id: 'dlv_1_1',
    organizationId: 'acme',
    subscriptionId: 'sub_1',
    eventId: 'evt_1',
    eventName: 'GROUP_CREATED',
    subject: 'group:g1',
    webhookId: 'evt_1',
    status: 'pending',
    attempts: 0,
    failures: 0,
    deferrals: 0,
    deferredMs: 0,
    dueAt: start,
    createdAt: start,
    finishedAt: null,
  },
} as const

test('remembers the states of 10,000 subscriptions, and not of all that there ever were', async () => {
  const assumed: unknown[] = []
  const { learn, settleDeliveries } = createSettlements({
    query: async (_, values) => {
      assumed.push(values?.[3])
      return []
    },
    queueChanges: {} as QueueChanges,
  })
  const failing = { failingSince: start, isReported: false, disabledReason: null }
  for (const count of [10_000, 10_001]) {
    for (let queue = 1; queue <= count; queue++) learn(String(queue), failing)
    await settleDeliveries([settlement])
  }
  expect(assumed).toEqual([[start], [null]])
})
