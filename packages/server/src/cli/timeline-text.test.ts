import { showAttempt, showDelivery } from '@wabakit/core/control'
import { expect, test } from 'vitest'
import { createOutput } from './output.ts'
import { formatDelivery, formatTimeline } from './timeline-text.ts'

test("an endpoint's response stays on its line", () => {
  const injected = 'refused\n12:00:00.000  FORGED\r\u001b[2J'
  const at = '2026-01-01T10:00:00.000Z'
  const startedAt = Date.parse(at)
  const delivery = showDelivery({
    id: 'dlv_1',
    subscriptionId: 'sub_1',
    eventId: 'evt_1',
    eventName: 'CALL_ENDED',
    subject: 'call:1',
    organizationId: 'acme',
    webhookId: 'evt_1',
    status: 'exhausted',
    dueAt: null,
    attempts: 1,
    failures: 1,
    deferrals: 0,
    deferredMs: 0,
    createdAt: startedAt,
    finishedAt: startedAt,
  })
  const attempt = showAttempt({
    ...{
      deliveryId: delivery.id,
      number: 1,
      startedAt,
      durationMs: 1,
      url: 'https://receiver.example/',
      status: null,
    },
    error: injected,
    responseBody: injected,
    succeeded: false,
    deferred: false,
  })
  const { id: deliveryId, subscriptionId, eventId, eventName } = delivery
  const entry = { kind: 'attempt' as const, at, deliveryId, subscriptionId, eventId, eventName, attempt }
  const output = createOutput({ format: 'pretty' })
  const timeline = {
    subject: 'call:1',
    now: at,
    call: null,
    summaryStatus: null,
    group: null,
    subscriptions: [],
    deliveries: [],
    entries: [{ ...entry, marks: [{ kind: 'gap' as const, text: injected }] }],
  }
  for (const text of [formatTimeline(output, timeline), formatDelivery(output, delivery, [attempt])]) {
    expect(text.split('\n').filter((line) => line.startsWith('12:'))).toEqual([])
    expect(text).toMatch(/10:00:00\.000.* attempt 1 .*refused\\u000a12:00:00\.000 {2}FORGED\\u000d/)
    expect(text).toMatch(/^ {4}response: refused\\u000a/m)
  }
})
