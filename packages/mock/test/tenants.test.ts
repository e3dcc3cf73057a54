import { AuthenticationError } from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { expect, test } from 'vitest'

test('two hundred concurrent tenants are isolated from each other', async () => {
  await using mock = await createMock()
  const tenants = Array.from({ length: 200 }, () => mock.tenant())
  const start = mock.clock.now()
  const patient = { timeoutMs: 110_000 }
  await Promise.all(
    tenants.map(async (tenant, index) => {
      const { secret, wabaNumber } = tenant
      const received: string[] = []
      const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
      tenant.deliverTo(receiver.onAny(({ event }) => received.push(event)))
      await tenant.client().groups.create({ wabaNumber, subject: `Order ${index}`, groupId: 'order' })
      await tenant.clock.advance(index)
      await tenant.simulateCall({ callId: 'call', outcome: 'missed' })
      const { at } = await tenant.waitForDelivery('CALL_INCOMING_INITIATED', { callId: 'call' }, patient)
      expect(at - start).toBe(index)
      expect(received).toEqual(['GROUP_CREATED', 'CALL_INCOMING_INITIATED'])
      expect(tenant.requests).toHaveLength(1)
    }),
  )
  expect(mock.events).toEqual([])
  const keys = new Set(
    [mock, ...tenants].flatMap(({ apiKey, secret, organizationId }) => [apiKey, secret, organizationId]),
  )
  expect(keys.size).toBe(3 * 201)
})

test('a tenant accepts only its own key, and the mock finds each tenant by its key, with and without Bearer', async () => {
  await using mock = await createMock()
  const tenant = mock.tenant()
  const foreign = tenant.client({ apiKey: mock.apiKey })
  await expect(foreign.calls.getSummary('x')).rejects.toThrow(AuthenticationError)
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  for (const client of [
    mock.client({ apiKey: tenant.apiKey }),
    mock.client({ apiKey: tenant.apiKey, fetch: mock.fetch, auth }),
  ]) {
    await client.groups.create({ wabaNumber: tenant.wabaNumber, subject: 'x' }).catch(() => {})
  }
  await mock.fetch(`${mock.url}/v1/call/ai-summary?callId=x`, { headers: { authorization: tenant.apiKey } })
  expect(mock.requests).toHaveLength(1)
  expect(tenant.requests.map(({ status }) => status)).toEqual([401, 200, 404])
})

test('tenants make up different callers', async () => {
  await using mock = await createMock({ seed: 42 })
  const calls = [
    await mock.simulateCall(),
    await mock.tenant().simulateCall(),
    await mock.tenant().simulateCall(),
  ]
  expect(new Set(calls.map(({ customerNumber }) => customerNumber)).size).toBe(3)
})

test('a reset does not affect other tenants', async () => {
  await using mock = await createMock()
  const tenant = mock.tenant()
  await tenant.simulateCall({ summary: { after: '1m' } })
  mock.reset()
  await tenant.clock.advance('1m')
  expect(tenant.events).toHaveLength(4)
})

test('after a reset, made-up data and time start over, and ids do not', async () => {
  await using mock = await createMock()
  const first = await mock.simulateCall()
  await mock.clock.advance('1h')
  mock.reset()
  const second = await mock.simulateCall()
  expect(second.customerNumber).toBe(first.customerNumber)
  expect(second.initiatedAt).toBe(first.initiatedAt)
  expect(second.callId).not.toBe(first.callId)
})

test('a client and faults from before a reset work after it', async () => {
  await using mock = await createMock()
  const { faults, clock } = mock
  const client = mock.client({ retry: { limit: 0 } })
  mock.reset()
  faults.next('groups.create', { status: 503, retryAfterSeconds: 1 })
  const create = () => client.groups.create({ wabaNumber: mock.wabaNumber, subject: 'x' })
  await expect(create()).rejects.toMatchObject({ status: 503 })
  await create()
  await clock.advance('1s')
  expect(mock.deliveries).toHaveLength(1)
})

test('a tenant has its own settings', async () => {
  await using mock = await createMock({ integrationEnabled: false })
  const tenant = mock.tenant({ joinApprovalMode: 'approval_required' })
  const create = { wabaNumber: mock.wabaNumber, subject: 'x' }
  await expect(mock.client().groups.create(create)).rejects.toMatchObject({ code: 'integration_disabled' })
  const { groupId } = await tenant.client().groups.create({ ...create, wabaNumber: tenant.wabaNumber })
  const group = await tenant.server.groups.find(tenant.organizationId, groupId)
  expect(group?.joinApprovalMode).toBe('approval_required')
  expect(() => mock.tenant({ callSummary: 'manual' } as never)).toThrow('Did you mean "callSummaries"?')
})

test('rejects unknown options', async () => {
  await expect(createMock({ sed: 1 } as never)).rejects.toThrow(
    'createMock: "sed" is unknown. Did you mean "seed"?',
  )
})

test.each(['yesterday', '1969-12-31T23:59:59Z', -1, 1e17])(
  'rejects the start %j of a clock',
  async (startAt) => {
    await expect(createMock({ startAt })).rejects.toThrow(
      'createMock: startAt must be an ISO 8601 date-time, or Unix time in milliseconds, from 1970 on',
    )
  },
)

test('names an invalid option once', async () => {
  await expect(createMock({ seed: 'one' } as never)).rejects.toThrow('createMock: seed must be a number')
  await expect(createMock({ startAt: 'x' })).rejects.toThrow('createMock: startAt must be')
  const listening = createMock({ port: 0, authHeader: 'x key' })
  await expect(listening).rejects.toThrow('createMock: authHeader must be the name of a header')
  expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap')
})

test('a client option that is undefined keeps the default of the mock', async () => {
  await using mock = await createMock()
  const client = mock.client({
    fetch: undefined,
    baseUrl: undefined,
    apiKey: undefined,
    auth: undefined,
    clock: undefined,
    random: undefined,
  })
  await client.groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 7' })
  expect(mock.requests).toHaveLength(1)
})
