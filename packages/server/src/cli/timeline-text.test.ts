import { showAttempt, showDelivery } from '@wabakit/core/control'
import { newProgress } from '@wabakit/core/storage'
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
    ...newProgress,
    attempts: 1,
    failures: 1,
    createdAt: startedAt,
    finishedAt: startedAt,
  })
  const attempt = showAttempt(
    {
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
    },
    { status: 'exhausted' },
  )
  const { id: deliveryId, subscriptionId, eventId, eventName } = delivery
  const entry = { kind: 'attempt' as const, at, deliveryId, subscriptionId, eventId, eventName, attempt }
  const output = createOutput({ format: 'pretty' })
  const timeline = {
    subject: 'call:1',
    now: at,
    call: null,
    summaryStatus: null,
    group: null,
    endpoints: [],
    subscriptions: [],
    deliveries: [],
    entries: [{ ...entry, marks: [{ kind: 'gap' as const, text: injected }] }],
  }
  for (const text of [formatTimeline(output, timeline), formatDelivery(output, delivery, [attempt])]) {
    expect(text.split('\n').filter((line) => line.startsWith('12:'))).toEqual([])
    expect(text).toMatch(/10:00:00\.000.* attempt 1 .*refused\\u000a12:00:00\.000 {2}FORGED\\u000d/)
    expect(text).toMatch(/^ {4}response: refused\\u000a/m)
  }
  // What listens at the address may not be a server of this version, or any server.
  Object.assign(attempt, { number: injected })
  const change = { kind: 'change' as const, at, state: 'created' as const, marks: [] }
  Object.assign(change, { state: injected })
  const foreign = { ...timeline, entries: [...timeline.entries, change] }
  for (const text of [formatTimeline(output, foreign), formatDelivery(output, delivery, [attempt])])
    expect(text.split('\n').filter((line) => line.startsWith('12:'))).toEqual([])
})

test('a timeline has a line for each entry, with its details, and what deliveries wait for or why they were skipped', () => {
  const ofDelivery = {
    deliveryId: 'dlv_1',
    subscriptionId: 'sub_1',
    eventId: 'evt_1',
    eventName: 'GROUP_CREATED',
  }
  const day = '2026-01-01T23:59:5'
  const request = {
    requestId: 'req_1',
    at: `${day}8.000Z`,
    method: 'POST',
    path: '/whatsapp/wa-group/create',
    endpoint: 'groups.create',
    status: 422,
    code: 'group_id_conflict',
    durationMs: 1,
    organizationId: 'acme',
    keyId: 'key_1',
    keyLabel: 'main',
    groupId: 'g1',
    callId: null,
    address: null,
    userAgent: null,
    query: null,
    keyFingerprint: null,
    keyFault: null,
    repeated: true,
  } as const
  const event = {
    id: 'evt_1',
    name: 'GROUP_CREATED',
    subject: 'group:g1',
    channel: 'WHATSAPP',
    occurredAt: `${day}9.000Z`,
    payload: '{}',
  } as const
  const attempt = showAttempt(
    {
      ...{ deliveryId: 'dlv_1', number: 1, startedAt: Date.parse(`${day}9.100Z`), durationMs: 12.6 },
      ...{ url: 'https://receiver.example/', status: 500, error: null, responseBody: 'failed' },
      ...{ succeeded: false, deferred: false },
    },
    { status: 'exhausted' },
  )
  const waiting = showDelivery(
    {
      ...{
        id: 'dlv_2',
        organizationId: 'acme',
        subscriptionId: 'sub_1',
        eventId: 'evt_2',
        subject: 'group:g1',
      },
      ...{ eventName: 'GROUP_PARTICIPANT_JOINED', webhookId: 'evt_2', status: 'waiting', dueAt: null },
      ...{ ...newProgress, createdAt: 0, finishedAt: null },
    },
    {
      wait: {
        reason: 'event',
        deliveryId: 'dlv_1',
        eventName: 'GROUP_CREATED',
        text: 'Waits for GROUP_CREATED.',
      },
    },
  )
  const done = { ...waiting, id: 'dlv_3', wait: null }
  const skipped = {
    ...{ ...waiting, id: 'dlv_4', status: 'skipped' as const },
    wait: { reason: 'disabled' as const, disabledReason: 'by_hand' as const, text: 'Enable it, and resend.' },
  }
  const output = createOutput({ format: 'pretty' })
  const arrival = {
    subscriptionId: 'sub_1',
    events: 1,
    missing: 0,
    deliveryId: 'dlv_1',
    eventName: '',
    at: null,
  }
  const text = formatTimeline(output, {
    ...{
      subject: 'group:g1',
      now: `${day}9.900Z`,
      call: null,
      summaryStatus: {
        ...{ state: 'blocked', deliveryId: 'dlv_1', eventName: 'GROUP_CREATED', endpoints: [] },
        text: 'The summary has arrived at 1 of 2 endpoints. two.example/ not delivered: GROUP_CREATED got 500.',
      },
      group: null,
      endpoints: [
        {
          ...arrival,
          url: 'https://one.example/hooks?token=secret',
          state: 'delivered',
          text: 'delivered at 20:44:00 UTC',
        },
        {
          ...arrival,
          url: 'https://two.example/',
          state: 'not_delivered',
          text: 'not delivered: GROUP_CREATED got 500',
        },
      ],
      subscriptions: [],
    },
    deliveries: [waiting, skipped, done].map((each) => ({ ...each, marks: [] })),
    entries: [
      { kind: 'request', at: request.at, request, marks: [{ kind: 'duplicate', text: 'It was repeated.' }] },
      { kind: 'change', at: `${day}8.500Z`, state: 'created', marks: [] },
      { kind: 'event', at: event.occurredAt, event, marks: [] },
      { kind: 'attempt', at: attempt.startedAt, ...ofDelivery, attempt, marks: [] },
      {
        ...{ kind: 'finished', at: `${day}9.200Z`, ...ofDelivery, status: 'exhausted' },
        marks: [{ kind: 'gap', text: 'It never arrived.' }],
      },
      { kind: 'next_attempt', at: '2026-01-02T00:00:05.000Z', ...ofDelivery, number: 2, marks: [] },
    ],
  })
  expect(text.split('\n')).toEqual([
    'one.example/hooks?…  delivered at 20:44:00 UTC',
    'two.example/  not delivered: GROUP_CREATED got 500  dlv_1',
    'The summary has arrived at 1 of 2 endpoints.',
    '',
    '2026-01-01 UTC',
    '23:59:58.000  request   POST /whatsapp/wa-group/create [422] group_id_conflict key main req_1',
    '    duplicate: It was repeated.',
    '23:59:58.500  state     created',
    '23:59:59.000  event     GROUP_CREATED evt_1',
    '23:59:59.100  attempt 1 GROUP_CREATED sub_1 POST https://receiver.example/ [500] 13 ms',
    '    response: failed',
    '    cause: The endpoint failed while it handled the webhook.',
    "    remedy: Check the receiver's log at the time of the attempt. Then resend.",
    '23:59:59.200  finished  GROUP_CREATED sub_1 exhausted',
    '    gap: It never arrived.',
    '2026-01-02 UTC',
    '00:00:05.000  next      attempt 2 of GROUP_CREATED sub_1',
    '',
    'Waiting',
    '  dlv_2  GROUP_PARTICIPANT_JOINED: Waits for GROUP_CREATED.',
    '',
    'Skipped',
    '  dlv_4  GROUP_PARTICIPANT_JOINED: Enable it, and resend.',
  ])
  expect(formatDelivery(output, { ...waiting, status: 'pending' }, [attempt]).split('\n')).toEqual([
    'dlv_2  GROUP_PARTICIPANT_JOINED of group:g1 to sub_1: pending',
    '2026-01-01 UTC',
    '23:59:59.100  attempt 1 POST https://receiver.example/ [500] 13 ms',
    '    response: failed',
    '    cause: The endpoint failed while it handled the webhook.',
    "    remedy: Check the receiver's log at the time of the attempt. Then resend.",
    'Waits for GROUP_CREATED.',
  ])
})
