import { expect, test } from 'vitest'
import { toClaims } from './queue.ts'

const createRow = (event: number, subscription: Readonly<Record<string, unknown>> | null) => ({
  delivery: {
    id: `dlv_${event}_1`,
    organizationId: 'acme',
    subscriptionId: 'sub_1',
    eventId: `evt_${event}`,
    eventName: 'CALL_ENDED',
    subject: `call:${event}`,
    webhookId: `evt_${event}`,
    status: 'claimed' as const,
    dueAt: 60_000,
    attempts: 0,
    failures: 0,
    deferrals: 0,
    deferredMs: 0,
    createdAt: 0,
    finishedAt: null,
  },
  channel: 'PSTN' as const,
  digits: '1',
  payload: '{}',
  waitsFor: null,
  traceparent: null,
  subscription,
  pace: 'quick' as const,
})

// The order of the deliveries is decided before they are locked, and a concurrent result may change a due time in between.
test('no claimed delivery is dropped when the subscription comes with a later one', () => {
  const rows = [createRow(1, null), createRow(2, { id: 'sub_1' }), createRow(3, null)]
  expect(toClaims(rows).map(({ delivery }) => delivery.id)).toEqual(['dlv_1_1', 'dlv_2_1', 'dlv_3_1'])
})
