import {
  type Client,
  type ClientOptions,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  ResponseFormatError,
  ServerError,
  SummaryPendingError,
  SummaryUnavailableError,
  TimeoutError,
  UnprocessableError,
} from '@wabakit/client'
import { type Mock, type MockTenant, MockUsageError } from '@wabakit/mock'
import { createReceiver, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import type { ExpectStatic } from 'vitest'

/** A mock in one of its forms, and how an application under test reaches it. */
export type Form = {
  readonly mock: Mock
  /** Base URL of the application under test, without a trailing slash. */
  readonly baseUrl: string
  client(tenant?: MockTenant, options?: ClientOptions): Client
  fetch(url: string, init?: RequestInit): Promise<Response>
}

type Case = (form: Form, expect: ExpectStatic) => Promise<void>

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

/** What every form of the mock does in the same way. */
export const cases: Readonly<Record<string, Case>> = {
  'creates a group and delivers GROUP_CREATED signed to the receiver': async ({ mock, client }, expect) => {
    const received = receive(mock)
    const { groupId } = await client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    const { event, headers, to } = await mock.waitForDelivery('GROUP_CREATED', { groupId })
    expect(event).toMatchObject({ groupId, groupName: 'Order 1042' })
    expect(headers.get('webhook-signature')).toMatch(/^v1,/)
    expect(to).toBe('receiver')
    expect(received).toEqual(['GROUP_CREATED'])
  },

  'answers with the codes of the service, and records requests with their verdicts': async (form, expect) => {
    const { mock } = form
    const wabaNumber = mock.wabaNumber
    const answers = [
      await post(form, JSON.stringify({ wabaNumber, subject: '' })),
      await post(form, '{"subject":'),
      await post(form, JSON.stringify({ wabaNumber: '+15550009999', subject: 'x' })),
      await post(form, JSON.stringify({ wabaNumber, subject: 'x' }), { authorization: 'wk_wrong' }),
      await post(form, JSON.stringify({ wabaNumber, subject: 'x' })),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 401, 200])
    expect(mock.requests.map(({ verdict }) => verdict)).toEqual([
      'invalid_subject',
      'malformed_json',
      'integration_not_found',
      'invalid_api_key',
      'ok',
    ])
    expect(mock.requests[0]).toMatchObject({
      endpoint: 'groups.create',
      method: 'POST',
      path: '/whatsapp/wa-group/create',
      body: { wabaNumber, subject: '' },
      status: 400,
    })
    expect(mock.requests[1]?.body).toBe('{"subject":')
    expect(mock.events).toHaveLength(1)
  },

  'keeps the rules of the service: a repeated create is one group, a different one a conflict': async (
    { mock, client },
    expect,
  ) => {
    const group = { wabaNumber: mock.wabaNumber, subject: 'Order 7', groupId: 'order-7' }
    await client().groups.create(group)
    await client().groups.create(group)
    await expect(client().groups.create({ ...group, subject: 'Other' })).rejects.toThrow(UnprocessableError)
    expect(mock.events.map(({ event }) => event)).toEqual(['GROUP_CREATED'])
  },

  'answers 405 for the wrong method': async ({ baseUrl, fetch, mock }, expect) => {
    const response = await fetch(`${baseUrl}/v1/call/ai-summary?callId=x`, {
      method: 'DELETE',
      headers: { authorization: mock.apiKey },
    })
    expect(response.status).toBe(405)
    expect(mock.requests[0]).toMatchObject({ endpoint: 'calls.getSummary', query: { callId: 'x' } })
  },

  'lets a client survive 429, and its wait costs no time': async ({ mock, client }, expect) => {
    const start = mock.clock.now()
    mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 20 }, { times: 2 })
    await client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    expect(mock.requests.map(({ status, verdict }) => [status, verdict])).toEqual([
      [429, 'fault'],
      [429, 'fault'],
      [200, 'ok'],
    ])
    expect(mock.clock.now() - start).toBe(40_000)
  },

  'answers a status with its code, Retry-After and headers': async ({ mock, client }, expect) => {
    const group = { wabaNumber: mock.wabaNumber, subject: 'x' }
    mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2, headers: { 'x-limit': '5' } })
    const limited = await client(mock, once)
      .groups.create(group)
      .catch((error) => error)
    expect(limited).toBeInstanceOf(RateLimitError)
    expect(limited).toMatchObject({ code: 'rate_limited', retryAfterMs: 2_000 })
    expect(limited.headers.get('x-limit')).toBe('5')
    mock.faults.next('groups.create', { code: 'integration_disabled', message: 'Switched off.' })
    const refused = await client()
      .groups.create(group)
      .catch((error) => error)
    expect(refused).toMatchObject({ status: 422, code: 'integration_disabled' })
    expect(refused.message).toContain('Switched off.')
    mock.faults.next('groups.create', { status: 409, code: 'brand_new' })
    const unknown = await client()
      .groups.create(group)
      .catch((error) => error)
    expect(unknown).toMatchObject({ status: 409, code: 'unknown', serverCode: 'brand_new' })
    expect(mock.events).toHaveLength(0)
  },

  'shows an error page of a gateway': async ({ mock, client }, expect) => {
    mock.faults.next('calls.getSummary', { html: true })
    const error = await client(mock, once)
      .calls.getSummary('call-1')
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ status: 502, code: 'unknown' })
  },

  'breaks the answer of a request that was carried out': async ({ mock, client }, expect) => {
    const create = (groupId: string) =>
      client(mock, once)
        .groups.create({ wabaNumber: mock.wabaNumber, subject: 'x', groupId })
        .catch((error) => error)
    mock.faults.next('groups.create', { malformed: true })
    expect(await create('malformed')).toBeInstanceOf(ResponseFormatError)
    mock.faults.next('groups.create', { offContract: true })
    expect(await create('off-contract')).toBeInstanceOf(ResponseFormatError)
    mock.faults.next('groups.create', { truncated: true })
    expect(await create('truncated')).toBeInstanceOf(OutcomeUnknownError)
    expect(mock.events.map((event) => 'groupId' in event && event.groupId)).toEqual([
      'malformed',
      'off-contract',
      'truncated',
    ])
  },

  'resets the connection before or after the request was carried out': async ({ mock, client }, expect) => {
    const create = (groupId: string) =>
      client(mock, once).groups.create({ wabaNumber: mock.wabaNumber, subject: 'x', groupId })
    mock.faults.next('groups.create', { reset: true })
    await expect(create('before')).rejects.toThrow(OutcomeUnknownError)
    await mock.expectNoEvent('GROUP_CREATED')
    mock.faults.next('groups.create', { reset: true, carriedOut: true })
    await expect(create('after')).rejects.toThrow(OutcomeUnknownError)
    await mock.waitForEvent('GROUP_CREATED', { groupId: 'after' })
    expect(mock.requests.map(({ status, verdict }) => [status, verdict])).toEqual([
      [undefined, 'fault'],
      [undefined, 'fault'],
    ])
  },

  'answers late, so that a client runs out of time': async ({ mock, client }, expect) => {
    mock.faults.next('calls.getSummary', { latencyMs: 5_000 })
    const hurried = client(mock, { ...once, timeoutMs: 30 })
    await expect(hurried.calls.getSummary('call-1')).rejects.toThrow(TimeoutError)
    await expect(hurried.calls.getSummary('call-1')).rejects.toThrow(NotFoundError)
  },

  'removes a fault that was to stay': async ({ mock, client }, expect) => {
    const remove = mock.faults.next('*', { status: 500 }, { times: 'always' })
    for (const _ of [1, 2]) {
      await expect(client(mock, once).calls.getSummary('call-1')).rejects.toThrow(ServerError)
    }
    remove()
    await expect(client(mock, once).calls.getSummary('call-1')).rejects.toThrow(NotFoundError)
  },

  'plays a call in the order of the service, with its summary when that is due': async (
    { mock, client },
    expect,
  ) => {
    const received = receive(mock)
    const summary = {
      recap: 'Asked for a refund.',
      keyPoints: ['Refund'],
      nextSteps: [],
      afterMs: '30s',
    } as const
    const { callId } = await mock.simulateCall({ durationInSeconds: 42, summary })
    await mock.waitForDelivery('CALL_ENDED', { callId })
    await mock.expectNoEvent('CALL_AI_SUMMARY', { callId })
    await expect(client(mock, once).calls.getSummary(callId)).rejects.toThrow(SummaryPendingError)
    await mock.clock.advance('30s')
    const event = await mock.waitForEvent('CALL_AI_SUMMARY', { callId })
    expect(event.summary.recap).toBe('Asked for a refund.')
    expect(received).toEqual(['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'])
    const { summary: fetched } = await client().calls.getSummary(callId)
    expect(fetched).toEqual(event.summary)
  },

  'lets a client wait for a summary without waiting': async ({ mock, client }, expect) => {
    const { callId } = await mock.simulateCall({ channel: 'WHATSAPP', summary: { afterMs: '1m' } })
    const start = performance.now()
    const record = await client().calls.waitForSummary(callId)
    expect(record.callId).toBe(callId)
    expect(performance.now() - start).toBeLessThan(2_000)
  },

  'never has a summary of a call in which nothing was said': async ({ mock, client }, expect) => {
    const { callId } = await mock.simulateCall({ outcome: 'nothing_said' })
    await expect(client().calls.getSummary(callId)).rejects.toThrow(SummaryUnavailableError)
  },

  'tries again when a receiver fails, on the schedule and in order': async ({ mock }, expect) => {
    const handled: string[] = []
    let failures = 2
    const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
    receiver
      .onError(() => {})
      .onAny((event) => {
        if (event.event === 'CALL_ACCEPTED' && failures-- > 0) throw new Error('database is down')
        handled.push(event.event)
      })
    mock.deliverTo(receiver)
    await mock.simulateCall({ summary: false })
    await mock.clock.advance(0)
    expect(handled).toEqual(['CALL_INCOMING_INITIATED'])
    await mock.clock.advance('5s')
    expect(handled).toEqual(['CALL_INCOMING_INITIATED'])
    await mock.clock.advance('5m')
    expect(handled).toEqual(['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'])
    const attempts = mock.deliveries.filter(({ name }) => name === 'CALL_ACCEPTED')
    expect(attempts.map(({ attempt, status, acknowledged }) => [attempt, status, acknowledged])).toEqual([
      [1, 500, false],
      [2, 500, false],
      [3, 200, true],
    ])
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
    expect(attempts.map(({ at }) => at - (attempts[0]?.at ?? 0))).toEqual([0, 5_000, 305_000])
  },

  'delivers a duplicate that a receiver with dedupe handles once': async ({ mock }, expect) => {
    const received = receive(mock)
    mock.faults.deliveries.duplicate('CALL_ENDED', { copies: 2 })
    await mock.simulateCall({ summary: false })
    await mock.clock.advance(0)
    expect(received.filter((name) => name === 'CALL_ENDED')).toHaveLength(1)
    const ended = mock.deliveries.filter(({ name }) => name === 'CALL_ENDED')
    expect(ended.map(({ status, faults }) => [status, faults])).toEqual([
      [200, []],
      [200, ['duplicate']],
      [200, ['duplicate']],
    ])
    expect(new Set(ended.map(({ id }) => id)).size).toBe(1)
  },

  'delivers events of a call in another order': async ({ mock }, expect) => {
    const received = receive(mock)
    mock.faults.deliveries.reorder(['CALL_AI_SUMMARY', 'CALL_ENDED', 'CALL_ACCEPTED'])
    await mock.simulateCall({ summary: { afterMs: '10s' } })
    await mock.clock.advance('10s')
    expect(received).toEqual(['CALL_INCOMING_INITIATED', 'CALL_AI_SUMMARY', 'CALL_ENDED', 'CALL_ACCEPTED'])
    await mock.simulateCall({})
    await mock.clock.advance(0)
    expect(received.slice(4)).toEqual([
      'CALL_INCOMING_INITIATED',
      'CALL_ACCEPTED',
      'CALL_ENDED',
      'CALL_AI_SUMMARY',
    ])
  },

  'delivers an event late, so that others overtake it': async ({ mock }, expect) => {
    const received = receive(mock)
    mock.faults.deliveries.delay('CALL_INCOMING_INITIATED', { by: '1m' })
    await mock.simulateCall({ summary: false })
    await mock.clock.advance('59s')
    expect(received).toEqual(['CALL_ACCEPTED', 'CALL_ENDED'])
    await mock.clock.advance('1s')
    expect(received).toEqual(['CALL_ACCEPTED', 'CALL_ENDED', 'CALL_INCOMING_INITIATED'])
    expect(mock.deliveries.map(({ name, ...each }) => [name, each.attempt, ...each.faults])).toEqual([
      ['CALL_ACCEPTED', 1],
      ['CALL_ENDED', 1],
      ['CALL_INCOMING_INITIATED', 1, 'delay'],
    ])
  },

  'loses an attempt, after which the schedule goes on': async ({ mock }, expect) => {
    const received = receive(mock)
    mock.faults.deliveries.drop('CALL_ACCEPTED')
    await mock.simulateCall({ summary: false })
    await mock.clock.advance(0)
    expect(received).toEqual(['CALL_INCOMING_INITIATED'])
    await mock.clock.advance('5s')
    expect(received).toEqual(['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'])
    expect(mock.deliveries[1]).toMatchObject({ name: 'CALL_ACCEPTED', status: undefined, faults: ['drop'] })
  },

  'forges deliveries, which a receiver refuses until the right one comes': async ({ mock }, expect) => {
    const received = receive(mock)
    const parts = ['body', 'signature', 'timestamp', 'missing_header'] as const
    for (const part of parts) mock.faults.deliveries.tamper('CALL_ENDED', { part })
    await mock.simulateCall({ summary: false })
    await mock.clock.advance('1d')
    expect(received).toEqual(['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'])
    const attempts = mock.deliveries.filter(({ name }) => name === 'CALL_ENDED')
    expect(
      attempts.map(({ status, answer, faults }) => [status, JSON.parse(answer || '{}').code, ...faults]),
    ).toEqual([
      [401, 'no_matching_signature', 'tamper'],
      [401, 'no_matching_signature', 'tamper'],
      [401, 'timestamp_too_old', 'tamper'],
      [401, 'missing_header', 'tamper'],
      [200, undefined],
    ])
  },

  'tells participants apart from strangers': async ({ mock, client }, expect) => {
    const received = receive(mock)
    const { groupId } = await client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    const { phone } = await mock.simulateParticipant('joined', { groupId })
    await mock.simulateParticipant('removed', { groupId, phone })
    await expect(mock.simulateParticipant('left', { groupId, phone })).rejects.toThrow(/Cannot leave/)
    await mock.waitForDelivery('GROUP_PARTICIPANT_REMOVED', { groupId, customerPhone: phone })
    expect(received).toEqual(['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_REMOVED'])
  },

  'keeps tenants apart, whose requests it finds by their keys': async ({ mock, client }, expect) => {
    const [left, right] = [mock.tenant(), mock.tenant()]
    left.faults.next('groups.create', { status: 500 })
    const create = (tenant: MockTenant, wabaNumber: string) =>
      client(tenant, once).groups.create({ wabaNumber, subject: 'x', groupId: 'same' })
    await create(right, right.wabaNumber)
    await expect(create(left, left.wabaNumber)).rejects.toThrow(ServerError)
    await expect(create(left, right.wabaNumber)).rejects.toMatchObject({ code: 'integration_not_found' })
    await left.clock.advance('1h')
    expect([mock.events.length, left.events.length, right.events.length]).toEqual([0, 0, 1])
    expect([mock.requests.length, left.requests.length, right.requests.length]).toEqual([0, 2, 1])
    expect(right.clock.now()).toBe(mock.clock.now())
  },

  'forgets everything on reset, but for who it is': async ({ mock, client }, expect) => {
    const received = receive(mock)
    const { apiKey, secret, wabaNumber } = mock
    const group = { wabaNumber, subject: 'Order 7', groupId: 'order-7' }
    mock.faults.next('groups.create', { status: 500 }, { times: 5 })
    mock.faults.deliveries.drop('*', { times: 'always' })
    await mock.simulateCall({ summary: { afterMs: '1m' } })
    await mock.clock.advance('10s')
    mock.reset()
    expect([mock.requests, mock.events, mock.deliveries]).toEqual([[], [], []])
    expect({ apiKey, secret, wabaNumber }).toEqual({
      apiKey: mock.apiKey,
      secret: mock.secret,
      wabaNumber: mock.wabaNumber,
    })
    await client(mock, once).groups.create({ ...group, subject: 'Another' })
    await mock.clock.advance('1h')
    expect(received).toEqual(['GROUP_CREATED'])
  },

  'says what to do instead of what cannot work': async ({ mock }, expect) => {
    const misuse = async (run: () => unknown): Promise<string> => {
      try {
        await run()
        return 'nothing'
      } catch (error) {
        expect(error).toBeInstanceOf(MockUsageError)
        return String(error)
      }
    }
    expect(await misuse(() => mock.waitForEvent('CALL_END' as never))).toContain('Did you mean "CALL_ENDED"?')
    expect(await misuse(() => mock.faults.next('group.create' as never, { status: 500 }))).toContain(
      'Did you mean "groups.create"?',
    )
    expect(await misuse(() => mock.faults.next('groups.create', { latency: 5 } as never))).toContain(
      'Did you mean "latencyMs"?',
    )
    mock.deliverTo(() => new Response())
    expect(await misuse(() => mock.deliverTo(() => new Response()))).toContain('mock.tenant()')
  },
}
