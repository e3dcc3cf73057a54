import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  SummaryPendingError,
  SummaryUnavailableError,
  UnprocessableError,
} from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { expect, it } from 'vitest'
import { getRejection } from './fixtures.ts'

// Tests against the service's own rules. The other files script responses that servers do not normally send.

it('creates a group once, even if the request is repeated with its groupId', async () => {
  await using mock = await createMock()
  const input = { wabaNumber: mock.wabaNumber, subject: 'Order 7', groupId: 'order-7' }
  const client = mock.client()
  expect(await client.groups.create(input)).toEqual({ success: true, groupId: 'order-7' })
  expect(await client.groups.create(input)).toEqual({ success: true, groupId: 'order-7' })
  expect(mock.events.filter(({ event }) => event === 'GROUP_CREATED')).toHaveLength(1)
})

it('rejects with the class and code of each service error', async () => {
  await using mock = await createMock()
  const group = { wabaNumber: mock.wabaNumber, subject: 'Order 7', groupId: 'order-7' }
  const client = mock.client()
  await client.groups.create(group)
  const { callId: missed } = await mock.simulateCall({ outcome: 'missed' })
  const refusals = [
    [
      client.groups.create({ ...group, wabaNumber: '+15559999999' }),
      BadRequestError,
      'integration_not_found',
    ],
    [mock.client({ apiKey: 'nobody' }).groups.create(group), AuthenticationError, 'invalid_api_key'],
    [client.groups.create({ ...group, subject: 'Order 8' }), UnprocessableError, 'group_id_conflict'],
    [client.calls.getSummary('unknown'), NotFoundError, 'summary_not_found'],
    [client.calls.getSummary(missed), SummaryUnavailableError, 'summary_unavailable'],
  ] as const
  for (const [refused, kind, code] of refusals) {
    const error = await getRejection(refused)
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ code, requestId: expect.any(String) })
  }
})

it('retries after 429 when Retry-After asks for it, and gives up at the limit', async () => {
  await using mock = await createMock()
  const input = { wabaNumber: mock.wabaNumber, subject: 'Order 7' }
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 2 })
  await mock.client().groups.create(input)
  expect(mock.requests).toHaveLength(3)
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 'always' })
  expect(await getRejection(mock.client().groups.create(input))).toBeInstanceOf(RateLimitError)
})

it('does not retry a create request whose response was lost, and names the groupId to wait for', async () => {
  await using mock = await createMock()
  const input = { wabaNumber: mock.wabaNumber, subject: 'Order 7', groupId: 'order-7' }
  mock.faults.next('groups.create', { reset: true, carriedOut: true })
  const error = await getRejection(mock.client().groups.create(input))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(String(error)).toContain('order-7')
  expect(await mock.client().groups.create(input)).toMatchObject({ groupId: 'order-7' })
  expect(mock.events.filter(({ event }) => event === 'GROUP_CREATED')).toHaveLength(1)
})

it('publishes GROUP_CREATED with the generated groupId, which resolves an unknown outcome', async () => {
  await using mock = await createMock()
  const input = { wabaNumber: mock.wabaNumber, subject: 'Order 7' }
  mock.faults.next('groups.create', { code: 'outcome_unknown', carriedOut: true })
  const error = await getRejection(mock.client().groups.create(input))
  expect(error).toMatchObject({
    name: 'OutcomeUnknownError',
    cause: { code: 'outcome_unknown', status: 503 },
  })
  const { groupId } = error as OutcomeUnknownError
  expect(await mock.waitForEvent('GROUP_CREATED', { groupId })).toMatchObject({ groupId })
  expect(mock.requests).toHaveLength(1)
})

it('accepts HTML error pages, and retries a read', async () => {
  await using mock = await createMock()
  mock.faults.next('groups.create', { html: true, status: 502 })
  const input = { wabaNumber: mock.wabaNumber, subject: 'Order 7' }
  expect(await getRejection(mock.client().groups.create(input))).toMatchObject({
    name: 'OutcomeUnknownError',
    cause: { name: 'ServerError', status: 502 },
  })
  const { callId } = await mock.simulateCall({ summary: { recap: 'They agreed.' } })
  mock.faults.next('calls.getSummary', { html: true, status: 502 })
  expect((await mock.client().calls.getSummary(callId)).summary.recap).toBe('They agreed.')
})

it('waits for a summary by polling or by its webhook', async () => {
  await using mock = await createMock()
  const client = mock.client()
  const polled = await mock.simulateCall({ summary: { recap: 'Polled.', after: '10s' } })
  expect(await getRejection(client.calls.getSummary(polled.callId))).toBeInstanceOf(SummaryPendingError)
  expect((await client.calls.waitForSummary(polled.callId)).summary.recap).toBe('Polled.')

  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  mock.deliverTo(receiver)
  const pushed = await mock.simulateCall({ summary: { recap: 'Pushed.', after: '10s' } })
  const waiting = client.calls.waitForSummary(pushed.callId, { events: receiver })
  await mock.clock.advance('10s')
  expect((await waiting).summary.recap).toBe('Pushed.')
})
