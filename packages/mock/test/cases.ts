import {
  type Client,
  type ClientOptions,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  ServerError,
  SummaryPendingError,
  TimeoutError,
} from '@wabakit/client'
import { type Mock, type MockTenant, MockUsageError } from '@wabakit/mock'
import { createReceiver, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import { equal, matches, rejects } from './assert.ts'

/** A form of the mock, and how an application under test reaches it. */
export type Form = {
  readonly mock: Mock
  /** Base URL of the application under test, without a trailing slash. */
  readonly baseUrl: string
  client(tenant?: MockTenant, options?: ClientOptions): Client
  fetch(url: string, init?: RequestInit): Promise<Response>
}

type Case = (form: Form) => Promise<void>

const receive = (tenant: MockTenant) => {
  const received: string[] = []
  const receiver = createReceiver({
    verify: standardWebhooks({ secrets: [tenant.secret] }),
    dedupe: memoryDedupe(),
  })
  receiver.onAny((event) => {
    received.push(event.event)
  })
  tenant.deliverTo(receiver)
  return received
}

const once = { retry: { limit: 0 } }

const post = ({ baseUrl, fetch, mock }: Form, body: string, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}/whatsapp/wa-group/create`, {
    method: 'POST',
    body,
    headers: { authorization: mock.apiKey, 'content-type': 'application/json', ...headers },
  })

/** The cases that every form of the mock must pass. */
export const cases: Readonly<Record<string, Case>> = {
  'creates a group and delivers GROUP_CREATED signed to the receiver': async ({ mock, client }) => {
    const received = receive(mock)
    const { groupId } = await client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    const { event, headers, to } = await mock.waitForDelivery('GROUP_CREATED', { groupId })
    matches(event, { groupId, groupName: 'Order 1042' })
    matches(headers.get('webhook-signature'), /^v1,/)
    equal(to, 'receiver')
    equal(received, ['GROUP_CREATED'])
  },

  'responds with the error codes of the service, and records each request with its verdict': async (form) => {
    const { mock } = form
    const wabaNumber = mock.wabaNumber
    const responses = [
      await post(form, JSON.stringify({ wabaNumber, subject: '' })),
      await post(form, '{"subject":'),
      await post(form, JSON.stringify({ wabaNumber: '+15550009999', subject: 'x' })),
      await post(form, JSON.stringify({ wabaNumber, subject: 'x' }), { authorization: 'wk_wrong' }),
      await post(form, JSON.stringify({ wabaNumber, subject: 'x' })),
    ]
    equal(
      responses.map(({ status }) => status),
      [400, 400, 400, 401, 200],
    )
    equal(
      mock.requests.map(({ verdict }) => verdict),
      ['invalid_subject', 'malformed_json', 'integration_not_found', 'invalid_api_key', 'ok'],
    )
    matches(mock.requests[0], {
      endpoint: 'groups.create',
      method: 'POST',
      path: '/whatsapp/wa-group/create',
      body: { wabaNumber, subject: '' },
      status: 400,
    })
    equal(mock.requests[1]?.body, '{"subject":')
    equal(mock.events.length, 1)
  },

  'lets a client retry after 429 without waiting in real time': async ({ mock, client }) => {
    const start = mock.clock.now()
    mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 20 }, { times: 2 })
    await client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    equal(
      mock.requests.map(({ status, verdict }) => [status, verdict]),
      [
        [429, 'fault'],
        [429, 'fault'],
        [200, 'ok'],
      ],
    )
    equal(mock.clock.now() - start, 40_000)
  },

  'responds with a status, its code, Retry-After and headers': async ({ mock, client }) => {
    const group = { wabaNumber: mock.wabaNumber, subject: 'x' }
    mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2, headers: { 'x-limit': '5' } })
    const create = () => client(mock, once).groups.create(group)
    const limited = await rejects(create(), RateLimitError)
    matches(limited, { code: 'rate_limited', retryAfterMs: 2_000 })
    equal(limited.headers.get('x-limit'), '5')
    mock.faults.next('groups.create', { code: 'integration_disabled', message: 'Switched off.' })
    await rejects(create(), { status: 422, code: 'integration_disabled', message: /Switched off\./ })
    mock.faults.next('groups.create', { status: 409, code: 'brand_new' })
    await rejects(create(), { status: 409, code: 'unknown', serverCode: 'brand_new' })
    equal(mock.events.length, 0)
  },

  'responds with the error page of a gateway': async ({ mock, client }) => {
    mock.faults.next('calls.getSummary', { html: true })
    const error = await rejects(client(mock, once).calls.getSummary('call-1'), ServerError)
    matches(error, { status: 502, code: 'unknown' })
  },

  'breaks the response of a request that was performed': async ({ mock, client }) => {
    const create = (groupId: string) =>
      client(mock, once).groups.create({ wabaNumber: mock.wabaNumber, subject: 'x', groupId })
    mock.faults.next('groups.create', { malformed: true })
    await rejects(create('malformed'), OutcomeUnknownError)
    mock.faults.next('groups.create', { offContract: true })
    await rejects(create('off-contract'), OutcomeUnknownError)
    mock.faults.next('groups.create', { truncated: true })
    await rejects(create('truncated'), OutcomeUnknownError)
    equal(
      mock.events.map((event) => 'groupId' in event && event.groupId),
      ['malformed', 'off-contract', 'truncated'],
    )
  },

  'resets the connection before or after the request was performed': async ({ mock, client }) => {
    const create = (groupId: string) =>
      client(mock, once).groups.create({ wabaNumber: mock.wabaNumber, subject: 'x', groupId })
    mock.faults.next('groups.create', { reset: true })
    await rejects(create('before'), OutcomeUnknownError)
    await mock.expectNoEvent('GROUP_CREATED')
    mock.faults.next('groups.create', { reset: true, carriedOut: true })
    await rejects(create('after'), OutcomeUnknownError)
    await mock.waitForEvent('GROUP_CREATED', { groupId: 'after' })
    equal(
      mock.requests.map(({ status, verdict }) => [status, verdict]),
      [
        [undefined, 'fault'],
        [undefined, 'fault'],
      ],
    )
  },

  'responds late, so that a client times out': async ({ mock, client }) => {
    mock.faults.next('calls.getSummary', { latencyMs: 5_000 })
    const hurried = client(mock, { ...once, timeoutMs: 30 })
    await rejects(hurried.calls.getSummary('call-1'), TimeoutError)
    await rejects(client(mock, once).calls.getSummary('call-1'), NotFoundError)
  },

  'removes a permanent fault': async ({ mock, client }) => {
    const remove = mock.faults.next('*', { status: 500 }, { times: 'always' })
    for (const _ of [1, 2]) {
      await rejects(client(mock, once).calls.getSummary('call-1'), ServerError)
    }
    remove()
    await rejects(client(mock, once).calls.getSummary('call-1'), NotFoundError)
  },

  'publishes the events of a call in order, and its summary when it is due': async ({ mock, client }) => {
    const received = receive(mock)
    const summary = {
      recap: 'Asked for a refund.',
      keyPoints: ['Refund'],
      nextSteps: [],
      after: '30s',
    } as const
    const { callId } = await mock.simulateCall({ durationInSeconds: 42, summary })
    await mock.waitForDelivery('CALL_ENDED', { callId })
    await mock.expectNoEvent('CALL_AI_SUMMARY', { callId })
    await rejects(client(mock, once).calls.getSummary(callId), SummaryPendingError)
    await mock.clock.advance('30s')
    const event = await mock.waitForEvent('CALL_AI_SUMMARY', { callId })
    equal(event.summary.recap, 'Asked for a refund.')
    equal(received, ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'])
    const { summary: fetched } = await client().calls.getSummary(callId)
    equal(fetched, event.summary)
  },

  'lets a client wait for a summary without waiting in real time': async ({ mock, client }) => {
    const { callId } = await mock.simulateCall({ channel: 'WHATSAPP', summary: { after: '1m' } })
    const start = performance.now()
    const record = await client().calls.waitForSummary(callId)
    equal(record.callId, callId)
    equal(performance.now() - start < 30_000, true)
  },

  'delivers events of a call in another order': async ({ mock }) => {
    const received = receive(mock)
    mock.faults.deliveries.reorder(['CALL_AI_SUMMARY', 'CALL_ENDED', 'CALL_ACCEPTED'])
    await mock.simulateCall({ summary: { after: '10s' } })
    await mock.clock.advance('10s')
    equal(received, ['CALL_INCOMING_INITIATED', 'CALL_AI_SUMMARY', 'CALL_ENDED', 'CALL_ACCEPTED'])
    await mock.simulateCall({})
    await mock.clock.advance(0)
    equal(received.slice(4), ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'])
  },

  'delivers an event late, so that others overtake it': async ({ mock }) => {
    const received = receive(mock)
    mock.faults.deliveries.delay('CALL_INCOMING_INITIATED', { by: '1m' })
    await mock.simulateCall({ summary: false })
    await mock.clock.advance('59s')
    equal(received, ['CALL_ACCEPTED', 'CALL_ENDED'])
    await mock.clock.advance('1s')
    equal(received, ['CALL_ACCEPTED', 'CALL_ENDED', 'CALL_INCOMING_INITIATED'])
    equal(
      mock.deliveries.map(({ name, ...each }) => [name, each.attempt, ...each.faults]),
      [
        ['CALL_ACCEPTED', 1],
        ['CALL_ENDED', 1],
        ['CALL_INCOMING_INITIATED', 1, 'delay'],
      ],
    )
  },

  'tampers with deliveries, which a receiver rejects until the correct one arrives': async ({ mock }) => {
    const received = receive(mock)
    const parts = ['body', 'signature', 'timestamp', 'missing_header'] as const
    for (const part of parts) mock.faults.deliveries.tamper('CALL_ENDED', { part })
    await mock.simulateCall({ summary: false })
    await mock.clock.advance('1d')
    equal(received, ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'])
    const attempts = mock.deliveries.filter(({ name }) => name === 'CALL_ENDED')
    equal(
      attempts.map(({ status, responseBody, faults }) => [
        status,
        JSON.parse(responseBody || '{}').code,
        ...faults,
      ]),
      [
        [401, 'no_matching_signature', 'tamper'],
        [401, 'no_matching_signature', 'tamper'],
        [401, 'timestamp_too_old', 'tamper'],
        [401, 'missing_header', 'tamper'],
        [200, undefined],
      ],
    )
  },

  'simulates participants who join and are removed, and rejects a second departure': async ({
    mock,
    client,
  }) => {
    const received = receive(mock)
    const { groupId } = await client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    const { phone } = await mock.simulateParticipant('joined', { groupId })
    await mock.simulateParticipant('removed', { groupId, phone })
    await rejects(mock.simulateParticipant('left', { groupId, phone }), /Cannot leave/)
    await mock.waitForDelivery('GROUP_PARTICIPANT_REMOVED', { groupId, customerPhone: phone })
    equal(received, ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_REMOVED'])
  },

  'isolates tenants, and finds the tenant of a request by its key': async ({ mock, client }) => {
    const [left, right] = [mock.tenant(), mock.tenant()]
    left.faults.next('groups.create', { status: 500 })
    const create = (tenant: MockTenant, wabaNumber: string) =>
      client(tenant, once).groups.create({ wabaNumber, subject: 'x', groupId: 'same' })
    await create(right, right.wabaNumber)
    await rejects(create(left, left.wabaNumber), { cause: { status: 500 } })
    await rejects(create(left, right.wabaNumber), { code: 'integration_not_found' })
    await left.clock.advance('1h')
    equal([mock.events.length, left.events.length, right.events.length], [0, 0, 1])
    equal([mock.requests.length, left.requests.length, right.requests.length], [0, 2, 1])
    equal(right.clock.now(), mock.clock.now())
  },

  'forgets everything on reset except its keys, numbers and secret': async ({ mock, client }) => {
    const received = receive(mock)
    const { apiKey, secret, wabaNumber } = mock
    const group = { wabaNumber, subject: 'Order 7', groupId: 'order-7' }
    mock.faults.next('groups.create', { status: 500 }, { times: 5 })
    mock.faults.deliveries.drop('*', { times: 'always' })
    await mock.simulateCall({ summary: { after: '1m' } })
    await mock.clock.advance('10s')
    mock.reset()
    equal([mock.requests, mock.events, mock.deliveries], [[], [], []])
    equal(
      { apiKey, secret, wabaNumber },
      {
        apiKey: mock.apiKey,
        secret: mock.secret,
        wabaNumber: mock.wabaNumber,
      },
    )
    await client(mock, once).groups.create({ ...group, subject: 'Another' })
    await mock.clock.advance('1h')
    equal(received, ['GROUP_CREATED'])
  },

  'explains what to do instead when it is used incorrectly': async ({ mock }) => {
    const misuse = async (run: () => unknown, advice: RegExp) => {
      matches(await rejects(Promise.resolve().then(run), MockUsageError), { message: advice })
    }
    await misuse(() => mock.waitForEvent('CALL_END' as never), /Did you mean "CALL_ENDED"\?/)
    await misuse(
      () => mock.faults.next('group.create' as never, { status: 500 }),
      /Did you mean "groups\.create"\?/,
    )
    await misuse(
      () => mock.faults.next('groups.create', { latency: 5 } as never),
      /Did you mean "latencyMs"\?/,
    )
    mock.deliverTo(() => new Response())
    await misuse(() => mock.deliverTo(() => new Response()), /mock\.tenant\(\)/)
  },
}
