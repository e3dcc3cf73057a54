import { createMock, type Mock, type MockTenant } from '@wabakit/mock'
import { matchers } from '@wabakit/mock/matchers'
import { createReceiver, generateSecret, standardWebhooks } from '@wabakit/webhooks'
import { expect, onTestFinished, test, vi } from 'vitest'

type Deliveries = MockTenant['faults']['deliveries']
type Options = Parameters<Deliveries['drop']>[1]

const kinds: Record<string, (deliveries: Deliveries, options?: Options) => void> = {
  duplicate: ({ duplicate }, options) => duplicate('CALL_ENDED', options),
  drop: ({ drop }, options) => drop('CALL_ENDED', options),
  timeOut: ({ timeOut }, options) => timeOut('CALL_ENDED', options),
  tamper: ({ tamper }, options) => tamper('CALL_ENDED', { ...options, part: 'body' }),
  delay: ({ delay }, options) => delay('CALL_ENDED', { ...options, by: '1m' }),
  reorder: ({ reorder }, options) => reorder(['CALL_ENDED', 'CALL_ACCEPTED'], options),
}

/** Subscribes a receiver, and returns the subscription and the names of the events that it handles. */
const addReceiver = async (mock: Mock, channel?: 'PSTN' | 'WHATSAPP') => {
  const secret = generateSecret()
  const handled: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
  const subscription = await mock.subscribe({
    receiver: receiver.onAny(({ event }) => handled.push(event)),
    secret,
    ...(channel && { channel }),
  })
  return { subscription, handled }
}

const callAndWait = async (mock: Mock): Promise<void> => {
  await mock.simulateCall({ summary: false })
  await mock.clock.advance('10m')
}

const listHits = (mock: Mock) =>
  mock.deliveries.flatMap(({ to, faults }) => faults.map((fault) => `${fault} to ${to}`))

test.each(Object.keys(kinds))(
  '%s spares the collector while another subscription gets the event',
  async (kind) => {
    await using mock = await createMock()
    await addReceiver(mock)
    kinds[kind]?.(mock.faults.deliveries)
    await callAndWait(mock)
    expect(new Set(listHits(mock))).toEqual(new Set([`${kind} to receiver`]))
    mock.faults.assertUsed()
  },
)

test('a fault applies to the collector while no other subscription gets the event', async () => {
  await using mock = await createMock()
  const { subscription } = await addReceiver(mock, 'WHATSAPP')
  mock.faults.deliveries.duplicate('CALL_ENDED')
  await callAndWait(mock)
  expect(listHits(mock)).toEqual(['duplicate to collector'])
  await subscription.stop()
})

test('a subscription that is disabled, or to other events, leaves the faults to the collector', async () => {
  await using mock = await createMock()
  await mock.subscribe({ receiver: () => new Response(), events: ['CALL_MISSED'] })
  await mock.subscribe({ receiver: () => new Response(null, { status: 410 }) })
  await callAndWait(mock)
  mock.faults.deliveries.duplicate('CALL_ENDED')
  await callAndWait(mock)
  expect(listHits(mock)).toEqual(['duplicate to collector'])
})

test('a request is recorded with the fault that hit it', async () => {
  await using mock = await createMock()
  const fault = { status: 503, retryAfterSeconds: 2 }
  mock.faults.next('calls.getSummary', fault)
  await mock.fetch(`${mock.url}/v1/call/ai-summary?callId=call-1`, {
    headers: { authorization: mock.apiKey },
  })
  expect(mock.requests).toMatchObject([{ status: 503, verdict: 'fault', fault }])
})

test.each(Object.keys(kinds))('%s applies only to the subscription that it is aimed at', async (kind) => {
  await using mock = await createMock()
  const first = await addReceiver(mock)
  const second = await addReceiver(mock)
  kinds[kind]?.(mock.faults.deliveries, { to: second.subscription, times: 'always' })
  await callAndWait(mock)
  const plain = ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED']
  expect(first.handled).toEqual(plain)
  expect(listHits(mock).length).toBeGreaterThan(0)
  kinds[kind]?.(mock.faults.deliveries, { to: String(first.subscription.ids[0]) })
  expect(() => mock.faults.assertUsed()).toThrow(kind)
})

test('aiming at something that is no subscription is an error', async () => {
  await using mock = await createMock()
  expect(() => mock.faults.deliveries.drop('*', { to: 5 as never })).toThrow(
    'to must be the result of subscribe, or the id of a subscription',
  )
})

test('assertUsed names the faults that were never applied, and only those', async () => {
  await using mock = await createMock()
  mock.faults.deliveries.duplicate('CALL_ENDED', { times: 'always' })
  mock.faults.deliveries.drop('CALL_MISSED', { where: { callId: 'call-1' } })
  mock.faults.deliveries.drop('CALL_ENDED', { chance: 0.000_001 })
  mock.faults.deliveries.neverRetry()
  mock.faults.next('calls.getSummary', { status: 500 }, { times: 2 })
  await callAndWait(mock)
  expect(() => mock.faults.assertUsed()).toThrow(
    /^faults\.assertUsed: These faults were never applied\..*\n {2}faults\.next \{"endpoint":"calls\.getSummary".*\n {2}faults\.deliveries\.drop \{"kind":"drop","event":"CALL_MISSED","where":\{"callId":"call-1"\}\}$/,
  )
  await mock.fetch(`${mock.url}/v1/call/ai-summary?callId=call-1`, {
    headers: { authorization: mock.apiKey },
  })
  await mock.trigger('CALL_MISSED', { callId: 'call-1' })
  await mock.clock.advance(0)
  mock.faults.assertUsed()
})

test('a mock that is closed names the faults that were never applied, also cleared ones and those of tenants', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const mock = await createMock()
  mock.faults.deliveries.drop('CALL_MISSED')
  const remove = mock.faults.deliveries.drop('CALL_REJECTED')
  remove()
  mock.reset()
  mock.tenant().faults.next('groups.create', { status: 500 })
  await mock.close()
  const [first, second] = warn.mock.calls.flat()
  expect(first).toMatch(
    /^wabakit mock: These faults were never applied[\s\S]*drop \{"kind":"drop","event":"CALL_MISSED"\}$/,
  )
  expect(second).toMatch(/faults\.next \{"endpoint":"groups\.create"/)
})

test.each([
  ['in process', (mock: Mock) => mock.faults.clear()],
  [
    'over HTTP',
    ({ url, organizationId }: Mock) =>
      fetch(`${url}/_wabakit/organizations/${organizationId}/delivery-faults`, { method: 'DELETE' }),
  ],
])('a reorder fault that was cleared %s no longer holds events of the same call', async (_, clear) => {
  await using mock = await createMock({ port: 0 })
  mock.faults.deliveries.reorder(['CALL_MISSED', 'CALL_ENDED'])
  await mock.trigger('CALL_ENDED', { callId: 'call-1' })
  await mock.clock.advance(0)
  await clear(mock)
  await mock.clock.advance(0)
  await mock.trigger('CALL_ENDED', { callId: 'call-1' })
  await mock.clock.advance(0)
  expect(mock.deliveries.map(({ name, faults }) => [name, ...faults])).toEqual([
    ['CALL_ENDED', 'reorder'],
    ['CALL_ENDED'],
  ])
})

test.each([
  ['its own header', { headers: { 'x-token': 'secret' } }, {}],
  ['its own credentials', { authorization: { token: 'secret' } }, {}],
  ['webhookAuth', {}, { webhookAuth: { token: 'secret' } }],
  ['a token in the URL', {}, { webhookAuth: { urlToken: 'sécret' } }],
  ['another parameter', {}, { webhookAuth: { urlToken: 'secret', parameter: 'key' } }],
] as const)('tamper changes and removes whatever proves the sender: %s', async (_, own, settings) => {
  for (const profile of ['reference', 'live'] as const) {
    await using mock = await createMock({ profile, ...settings })
    const credentials: (string | null)[] = []
    await mock.subscribe({
      ...own,
      receiver: ({ headers, url }) => {
        const { searchParams } = new URL(url)
        const inUrl = searchParams.get('token') ?? searchParams.get('key')
        credentials.push(headers.get('x-token') ?? headers.get('authorization') ?? inUrl)
        credentials.push(headers.get('webhook-signature'))
        return new Response()
      },
    })
    for (const part of ['signature', 'missing_header'] as const) {
      credentials.length = 0
      mock.faults.deliveries.tamper('CALL_ENDED', { part })
      await mock.trigger('CALL_ENDED')
      await mock.clock.advance(0)
      mock.faults.assertUsed()
      await mock.trigger('CALL_ENDED')
      await mock.clock.advance(0)
      const [token, signature, genuineToken, genuineSignature] = credentials
      if (part === 'missing_header') expect([token, signature]).toEqual([null, null])
      else {
        expect(token).not.toBe(genuineToken)
        if (profile === 'reference') expect(signature).not.toBe(genuineSignature)
      }
    }
  }
})

test('tampering never applies to a part that a webhook does not have, nor to an attempt that is dropped', async () => {
  await using mock = await createMock({ profile: 'live', live: { retryOnTimeout: true } })
  mock.faults.deliveries.tamper('CALL_ENDED', { part: 'signature' })
  mock.faults.deliveries.tamper('CALL_ENDED', { part: 'missing_header', header: 'webhook-id' })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  expect(() => mock.faults.assertUsed()).toThrow(/tamper.*\n.*tamper/)
  mock.faults.clear()
  mock.faults.deliveries.drop('CALL_ENDED')
  mock.faults.deliveries.tamper('CALL_ENDED', { part: 'body' })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  expect(() => mock.faults.assertUsed()).toThrow('tamper')
})

test.each([
  ['the events arrived in this order anyway', ['CALL_ACCEPTED', 'CALL_ENDED']],
  ['the event that the others wait for never happened', ['CALL_MISSED', 'CALL_ENDED']],
] as const)('a reorder fault was not applied if %s', async (_, events) => {
  await using mock = await createMock()
  mock.faults.deliveries.reorder(events)
  await callAndWait(mock)
  expect(() => mock.faults.assertUsed()).toThrow('reorder')
  mock.faults.clear()
  mock.faults.assertUsed()
})

test('an event counts as received only if the endpoint under test has acknowledged it', async () => {
  await using mock = await createMock()
  await mock.server.subscriptions.create(mock.organizationId, {
    channel: 'PSTN',
    number: mock.pstnNumber,
    url: 'http://127.0.0.1:9/',
  })
  await callAndWait(mock)
  expect(mock.deliveries.filter(({ acknowledged }) => acknowledged)).toEqual([])
  expect(matchers.toHaveReceivedEvent(mock, 'CALL_ENDED').pass).toBe(false)
  await expect(mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 1 })).rejects.toThrow('CALL_ENDED')
})

/** Handles events once, but checks before its work and remembers after it. */
const createRacyHandler = () => {
  const seen = new Set<string>()
  const handled: string[] = []
  const receiver = async (request: Request): Promise<Response> => {
    const { event, callId } = await request.json()
    const key = `${event} ${callId}`
    if (seen.has(key)) return new Response()
    await new Promise(setImmediate)
    handled.push(event)
    seen.add(key)
    return new Response()
  }
  return { receiver, handled }
}

test('concurrent copies arrive before the first response, so that a check that is not atomic handles an event twice', async () => {
  await using mock = await createMock()
  const { receiver, handled } = createRacyHandler()
  mock.deliverTo(receiver)
  mock.faults.deliveries.duplicate('CALL_INCOMING_INITIATED', { copies: 2 })
  mock.faults.deliveries.duplicate('CALL_ENDED', { copies: 2, concurrent: true })
  await callAndWait(mock)
  mock.faults.assertUsed()
  expect(handled).toEqual([
    ...['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED'],
    ...['CALL_ENDED', 'CALL_ENDED', 'CALL_ENDED'],
  ])
  expect(
    mock.deliveries
      .filter(({ name }) => name === 'CALL_ENDED')
      .map(({ attempt, faults }) => [attempt, ...faults]),
  ).toEqual([[1], [2, 'duplicate'], [3, 'duplicate']])
})

test('an endpoint that refuses connections fails the attempt once, whatever its concurrent copies do', async () => {
  await using mock = await createMock()
  await mock.server.subscriptions.create(mock.organizationId, {
    channel: 'PSTN',
    number: mock.pstnNumber,
    url: 'http://127.0.0.1:9/',
  })
  mock.faults.deliveries.duplicate('CALL_ENDED', { concurrent: true, copies: 3 })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  const failed = mock.deliveries.filter(({ to }) => to !== 'collector')
  const copy = [undefined, 'duplicate']
  expect(failed.map(({ status, faults }) => [status, ...faults])).toEqual([[undefined], copy, copy, copy])
})

test.each([{}, { concurrent: true }])(
  'a copy that gets no response is recorded, and its attempt keeps its response: %o',
  async (options) => {
    await using mock = await createMock()
    let requests = 0
    mock.deliverTo(async () => {
      requests += 1
      if (requests === 2) throw new Error('the process was killed')
      return new Response(null, { status: 204 })
    })
    mock.faults.deliveries.neverRetry()
    mock.faults.deliveries.duplicate('CALL_ENDED', options)
    await mock.trigger('CALL_ENDED')
    await mock.clock.advance(0)
    expect(mock.deliveries.map(({ status, error, faults }) => [status, error, ...faults])).toEqual([
      [204, undefined],
      [undefined, 'no response', 'duplicate'],
    ])
  },
)

test('a fault aimed at a subscription hits the events of both channels', async () => {
  await using mock = await createMock()
  const subscription = await mock.subscribe({ receiver: () => new Response(), events: ['CALL_ENDED'] })
  mock.faults.deliveries.drop('CALL_ENDED', { to: subscription, times: 2 })
  for (const channel of ['PSTN', 'WHATSAPP'] as const) await mock.simulateCall({ channel })
  await mock.clock.advance(0)
  const dropped = mock.deliveries.filter(({ to }) => to === 'receiver').map(({ faults }) => faults)
  expect(dropped).toEqual([['drop'], ['drop']])
})
