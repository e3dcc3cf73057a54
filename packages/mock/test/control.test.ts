import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ApiFault } from '@wabakit/core/simulation'
import { createMock, type Mock } from '@wabakit/mock'
import { createReceiver, generateSecret, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenOnFreePort } from '../../server/test/listen-on-free-port.ts'
import { getStatus, sendBytes } from '../../webhooks/test/malformed-requests.ts'
import * as deliveryFaultSchemas from '../src/faults/delivery-fault.ts'
import { TenantSettings } from '../src/mock-options.ts'

const start = async () => {
  const mock = await createMock({ port: 0 })
  onTestFinished(mock.close)
  return mock
}

type Called = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }

/** Calls the control API below an organization's path or, with a leading `//`, below its root. */
const call = async (mock: Mock, route: string, body?: object): Promise<Called> => {
  const [method = '', path = ''] = route.split(' ')
  const below = path.startsWith('//') ? path.slice(1) : `/organizations/${mock.organizationId}${path}`
  const response = await fetch(`${mock.url}/_wabakit${below}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** Starts an endpoint in this process, and subscribes it to calls over HTTP. */
const subscribe = async (mock: Mock) => {
  const secret = generateSecret()
  const handled: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe: memoryDedupe() })
  const server = createServer(toNodeHandler(receiver.onAny(({ event }) => handled.push(event))))
  const url = `${await listenOnFreePort(server)}/`
  const { body } = await call(mock, 'POST /subscriptions', {
    channel: 'PSTN',
    number: mock.pstnNumber,
    url,
    secret,
  })
  return { id: String(body.id), handled }
}

test('a test in another language scripts faults of deliveries, calls, time and waits', async () => {
  const mock = await start()
  const { id, handled } = await subscribe(mock)
  const added = await call(mock, 'POST /delivery-faults', {
    kind: 'duplicate',
    event: 'CALL_AI_SUMMARY',
    to: id,
  })
  expect(added).toMatchObject({ status: 201, body: { kind: 'duplicate', remaining: 1, hits: 0 } })
  await call(mock, 'POST /delivery-faults', { kind: 'reorder', events: ['CALL_ENDED', 'CALL_ACCEPTED'] })

  const { body: simulated } = await call(mock, 'POST /simulated-calls', {
    summary: { recap: 'Refund.', after: '30m' },
  })
  const { body: before } = await call(mock, 'GET /clock')
  const { body: after } = await call(mock, 'POST /clock', { advance: '30m' })
  expect(Date.parse(after.now) - Date.parse(before.now)).toBe(1_800_000)
  const waited = await call(mock, 'POST /waits', {
    for: 'delivery',
    name: 'CALL_AI_SUMMARY',
    match: { callId: simulated.callId },
  })
  expect(waited.body).toMatchObject({ status: 200, event: { summary: { recap: 'Refund.' } } })
  expect(handled).toEqual(['CALL_INCOMING_INITIATED', 'CALL_ENDED', 'CALL_ACCEPTED', 'CALL_AI_SUMMARY'])
  expect((await call(mock, 'GET /delivery-faults')).body.items).toEqual([])

  const { body: recordings } = await call(mock, 'GET /recordings')
  const copies = recordings.deliveries.filter(({ faults }: { faults: string[] }) =>
    faults.includes('duplicate'),
  )
  const headers = { 'webhook-id': expect.any(String) }
  expect(copies).toMatchObject([{ status: 200, attempt: 2, headers, at: after.now }])
  expect(recordings.events.length).toBe(4)
})

test('a wait that fails explains itself, and so does an event that should not have happened', async () => {
  const mock = await start()
  await call(mock, 'POST /simulated-calls', { summary: { after: '30s' } })
  const late = await call(mock, 'POST /waits', { for: 'event', name: 'CALL_AI_SUMMARY', timeoutMs: 1 })
  const message = expect.stringMatching(/seed[\s\S]*Due later: .*: POST …\/clock \{"advance":30000\}$/)
  expect(late).toMatchObject({ status: 408, body: { code: 'timed_out', message } })
  await call(mock, 'POST /triggered-events', { name: 'CALL_ENDED', overrides: { callId: 'call-1' } })
  await call(mock, 'POST /triggered-events', { payload: { event: 'note-created' } })
  const wrong = await call(mock, 'POST /waits', {
    for: 'no_event',
    name: 'CALL_ENDED',
    match: { callId: 'call-1' },
  })
  expect(wrong).toMatchObject({ status: 409, body: { code: 'unexpected_event' } })
  expect(await call(mock, 'POST /waits', { for: 'no_event', name: 'CALL_MISSED' })).toMatchObject({
    status: 200,
    body: {},
  })
  expect(await call(mock, 'POST /triggered-events', {})).toMatchObject({ status: 400 })
  expect(await call(mock, 'POST /clock', { advance: 'soon' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  })
  expect(await call(mock, 'POST /delivery-faults', { kind: 'delay', event: '*' })).toMatchObject({
    status: 400,
  })
  expect(await call(mock, 'GET /nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await call(mock, 'GET //organizations/org_9/clock')).toMatchObject({ status: 404 })
})

test('a wait that a reset or the end of the mock makes impossible fails at once, as in process', async () => {
  const mock = await start()
  const waitForever = () =>
    call(mock, 'POST /waits', { for: 'delivery', name: 'CALL_ENDED', timeoutMs: 600_000 })
  const reset = waitForever()
  await expect.poll(async () => (await call(mock, 'GET /clock')).status).toBe(200)
  await call(mock, 'POST /reset')
  expect(await reset).toMatchObject({
    status: 400,
    body: { code: 'invalid_input', message: expect.stringContaining('was reset while waiting') },
  })
  // Written at once, so that it has arrived when the mock responds to what is sent later.
  const path = `/_wabakit/organizations/${mock.organizationId}/waits`
  const headers = { 'content-type': 'application/json' }
  const waiting = request(`${mock.url}${path}`, { method: 'POST', headers })
  const closed = once(waiting, 'response')
  waiting.end(JSON.stringify({ for: 'delivery', name: 'CALL_ENDED', timeoutMs: 600_000 }))
  await once(waiting, 'finish')
  await call(mock, 'GET /clock')
  await mock.close()
  const [response] = await closed
  expect([response.statusCode, await json(response)]).toMatchObject([
    400,
    { message: expect.stringContaining('was closed while waiting') },
  ])
})

test('over HTTP, copies arrive at the same time, and a misspelled field is refused by its name', async () => {
  const mock = await start()
  const { handled } = await subscribe(mock)
  const fault = { kind: 'duplicate', event: 'CALL_ENDED', copies: 3, concurrent: true }
  expect((await call(mock, 'POST /delivery-faults', fault)).body).toMatchObject(fault)
  await call(mock, 'POST /simulated-calls', { summary: false })
  await call(mock, 'POST /waits', { for: 'delivery', name: 'CALL_ENDED', timeoutMs: 10_000 })
  expect(handled.filter((name) => name === 'CALL_ENDED')).toHaveLength(1)
  const { body: recordings } = await call(mock, 'GET /recordings')
  expect(
    recordings.deliveries.filter(({ faults }: { faults: string[] }) => faults.includes('duplicate')),
  ).toHaveLength(3)
  for (const kind of ['no_event', 'event', 'delivery']) {
    const misspelled = { for: kind, name: 'CALL_ENDED', match: { callID: 'call-1' } }
    expect(await call(mock, 'POST /waits', misspelled)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_input',
        message: expect.stringContaining('"callID" is unknown. Did you mean "callId"?'),
      },
    })
  }
})

test('over HTTP, neither a wait nor a fault takes the collector for an endpoint', async () => {
  const mock = await start()
  /** Waits until everything that is due has been sent, however slow this machine is. */
  const settle = () => call(mock, 'POST /clock', { advance: 0 })
  await call(mock, 'POST /delivery-faults', { kind: 'duplicate', event: 'CALL_AI_SUMMARY' })
  await call(mock, 'POST /simulated-calls', { channel: 'WHATSAPP' })
  await settle()
  const wait = { for: 'delivery', name: 'CALL_AI_SUMMARY', timeoutMs: 20 }
  const alone = await call(mock, 'POST /waits', wait)
  expect(alone).toMatchObject({ status: 408, body: { code: 'timed_out' } })
  expect(alone.body.message).toContain('CALL_AI_SUMMARY: no subscription gets this event')
  expect(alone.body.message).toContain('POST /_wabakit/organizations/{id}/subscriptions')

  const { handled } = await subscribe(mock)
  await call(mock, 'POST /simulated-calls', { channel: 'WHATSAPP' })
  await settle()
  expect((await call(mock, 'POST /waits', wait)).body.message).toContain('no subscription gets')
  expect((await call(mock, 'GET /unused-faults')).body.items).toHaveLength(1)
  await call(mock, 'POST /simulated-calls', { channel: 'PSTN', summary: false })
  await settle()
  const missing = await call(mock, 'POST /waits', { ...wait, match: { channel: 'PSTN' } })
  expect(missing.body.message).not.toContain('Subscribe the endpoint')
  await call(mock, 'POST /simulated-calls', { channel: 'PSTN' })
  expect((await call(mock, 'POST /waits', { ...wait, timeoutMs: 10_000 })).body.to).toContain('127.0.0.1')
  expect(handled).toContain('CALL_AI_SUMMARY')
  expect((await call(mock, 'GET /unused-faults')).body.items).toEqual([])
})

test('tenants have faults of their own, and a reset forgets what happened', async () => {
  const mock = await start()
  const { body: tenant } = await call(mock, 'POST //tenants', { callSummaries: 'manual' })
  const { body: list } = await call(mock, 'GET //tenants')
  expect(list.items.map((each: typeof tenant) => each.organizationId)).toEqual([
    mock.organizationId,
    tenant.organizationId,
  ])
  expect(list.items[0]).toMatchObject({
    seed: mock.seed,
    profile: 'reference',
    secret: mock.secret,
    apiKey: mock.apiKey,
  })
  const fault = { endpoint: 'groups.create', status: 500 }
  expect((await call(mock, `POST //faults?organization=${tenant.organizationId}`, fault)).status).toBe(201)
  expect((await call(mock, 'POST //faults', { endpoint: '*', reset: true, carriedOut: true })).status).toBe(
    201,
  )

  const create = (apiKey: string, wabaNumber: string) =>
    fetch(`${mock.url}/whatsapp/wa-group/create`, {
      method: 'POST',
      body: JSON.stringify({ wabaNumber, subject: 'Order 1042' }),
      headers: { 'content-type': 'application/json', 'x-public-api-key': apiKey },
    })
  await expect(create(mock.apiKey, mock.wabaNumber)).rejects.toThrow()
  expect((await create(tenant.apiKey, tenant.wabaNumber)).status).toBe(500)
  expect((await create(tenant.apiKey, tenant.wabaNumber)).status).toBe(200)
  const { body: groups } = await call(mock, 'GET /groups')
  const { groupId } = groups.items[0]
  expect(
    await call(mock, 'POST /participants', { groupId, phone: '+12025550143', state: 'joined' }),
  ).toMatchObject({ status: 200 })
  expect((await call(mock, 'GET /recordings')).body.requests).toMatchObject([
    { verdict: 'fault', body: { subject: 'Order 1042' } },
  ])

  expect((await call(mock, 'POST /reset')).status).toBe(204)
  expect((await call(mock, 'GET /recordings')).body).toEqual({ requests: [], events: [], deliveries: [] })
})

test.each<[ApiFault, object]>([
  [
    { status: 429, retryAfterSeconds: 2 },
    { status: 429, code: 'rate_limited' },
  ],
  [
    { status: 429, carriedOut: true },
    { status: 429, code: 'rate_limited', repeated: false },
  ],
  [{ html: true }, { status: 502, code: null }],
  [{ malformed: true }, { status: 200, code: null }],
  [{ reset: true }, { status: null, code: null, responseBody: null }],
  [
    { reset: true, carriedOut: true },
    { status: null, code: null, responseBody: null },
  ],
  [{ truncated: true }, { status: 200, code: null, responseBody: null }],
])('the log of requests has what was sent by the fault %j', async (fault, logged) => {
  const mock = await start()
  const other = mock.tenant()
  other.faults.next('groups.create', fault)
  const body = JSON.stringify({ wabaNumber: other.wabaNumber, subject: 'Order 1042', groupId: 'order-1042' })
  const create = async () => {
    const response = await fetch(`${mock.url}/whatsapp/wa-group/create`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-public-api-key': other.apiKey },
    })
    return response.text()
  }
  const responseBody = await create().catch(() => null)
  await create()
  const { items } = (await call(mock, `GET //requests?organization=${other.organizationId}`)).body
  expect(items).toMatchObject([{ status: 200 }, { keyId: items[0].keyId, groupId: 'order-1042' }])
  expect(items).toHaveLength(2)
  const details = await call(mock, `GET //requests/${items[1].requestId}`)
  expect(details.body).toMatchObject({ responseBody, requestBody: body, keyFault: null, ...logged })
  expect(JSON.stringify(details)).not.toContain(other.apiKey)
})

test('the log of requests has what the profile "live" sent', async () => {
  const mock = await createMock({ port: 0, profile: 'live' })
  onTestFinished(mock.close)
  await fetch(`${mock.url}/v1/call/ai-summary?callId=unknown`, { headers: { authorization: mock.apiKey } })
  const [{ requestId, ...listed }] = (await call(mock, 'GET //requests')).body.items
  expect(listed).toMatchObject({ status: mock.requests[0]?.status, code: 'summary_not_found' })
  const { body } = await call(mock, `GET //requests/${requestId}`)
  expect(JSON.parse(body.responseBody)).not.toHaveProperty('code')
})

test('a request is logged with the key and the call of its own tenant', async () => {
  const mock = await start()
  const other = mock.tenant()
  const { key, id } = (
    await call(mock, `POST //organizations/${other.organizationId}/api-keys`, { label: 'second' })
  ).body
  const { callId } = await other.simulateCall()
  const url = `${mock.url}/v1/call/ai-summary?callId=${callId}`
  for (const authorization of [key, other.apiKey]) await fetch(url, { headers: { authorization } })
  const { items } = (await call(mock, 'GET //requests')).body
  const common = { organizationId: other.organizationId, callId, status: other.requests[0]?.status }
  expect(items).toMatchObject([common, { ...common, keyId: id, keyLabel: 'second' }])
  const { body } = await call(mock, `GET //requests/${items[1].requestId}`)
  expect(body).toMatchObject({ callId, query: 'callId=***', responseBody: expect.any(String) })
})

test('lists the organizations of all tenants, in pages', async () => {
  const mock = await start()
  const others = [mock.tenant(), mock.tenant()]
  const { body: first } = await call(mock, 'GET //organizations?limit=2')
  const { body: rest } = await call(mock, `GET //organizations?limit=2&cursor=${first.nextCursor}`)
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(
    [mock, ...others].map(({ organizationId }) => organizationId),
  )
  expect(rest.nextCursor).toBeUndefined()
  expect(await call(mock, 'GET //organizations?cursor=first')).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  })
})

test('requests, figures and due summaries are those of the virtual clock, until a reset', async () => {
  const mock = await start()
  const other = mock.tenant()
  await subscribe(mock)
  for (const { apiKey, wabaNumber } of [mock, other])
    await fetch(`${mock.url}/whatsapp/wa-group/create`, {
      method: 'POST',
      body: JSON.stringify({ wabaNumber, subject: 'Order 1042' }),
      headers: { 'content-type': 'application/json', 'x-public-api-key': apiKey },
    })
  const countRequests = async () => {
    const { body } = await call(mock, `GET //requests?organization=${mock.organizationId}`)
    return body.items.map(({ status }: { status: number }) => status)
  }
  expect(await countRequests()).toEqual([200])

  const { body: simulated } = await call(mock, 'POST /simulated-calls', { summary: { after: '30m' } })
  const readSummary = async () => {
    const { body } = await call(mock, `GET /timeline?call=${simulated.callId}`)
    return body.summaryStatus
  }
  const dueAt = new Date(mock.clock.now() + 1_800_000).toISOString()
  expect(await readSummary()).toMatchObject({ state: 'due', at: dueAt })
  await call(mock, 'POST /clock', { advance: '30m' })
  expect(await readSummary()).not.toMatchObject({ state: 'due' })

  const { body: overview } = await call(mock, 'GET /overview?window=hour')
  const { times, series, totals } = overview
  expect(totals.events).toBe(5)
  const counted = (times as string[]).flatMap((time, index) => {
    const events = series.events[index]
    return events === 0 ? [] : [[Date.parse(time), events]]
  })
  const minute = 60_000
  const now = Math.floor(mock.clock.now() / minute) * minute
  expect(counted).toEqual([
    [now - 30 * minute, 4],
    [now, 1],
  ])

  await call(mock, 'POST /reset')
  expect(await countRequests()).toEqual([])
  expect((await call(mock, 'GET //requests')).body.items).toHaveLength(1)
  expect((await call(mock, 'GET /overview?window=hour')).body.totals.events).toBe(0)
})

test('simulates a call of an organization that was created through the control API', async () => {
  const mock = await start()
  await call(mock, 'POST //organizations', { id: 'acme', pstnNumbers: ['+15550100099'] })
  const simulated = await call(mock, 'POST //organizations/acme/simulated-calls', {})
  expect(simulated).toMatchObject({ status: 201, body: { channelNumber: '+15550100099' } })
})

test('a reset keeps webhookUrl and removes added subscriptions', async () => {
  const received: string[] = []
  const endpoint = createServer((request, response) => {
    received.push(request.url ?? '')
    request.resume().on('end', () => response.end())
  })
  const url = await listenOnFreePort(endpoint)
  const mock = await createMock({ port: 0, webhookUrl: `${url}/kept` })
  onTestFinished(mock.close)
  await mock.subscribe({ url: `${url}/added` })
  for (const paths of [['/kept', '/added'], ['/kept']]) {
    received.length = 0
    await mock.trigger('CALL_MISSED', { callId: 'call-1' })
    await mock.clock.advance(0)
    expect(received.toSorted()).toEqual(paths.toSorted())
    expect((await call(mock, 'POST /reset')).status).toBe(204)
  }
  await expect(createMock({ webhookUrl: 'http://192.0.2.1/' })).rejects.toThrow(/webhookUrl.*https/)
  expect(() => mock.tenant({ webhookUrl: 'nothing' })).toThrow(/webhookUrl/)
})

/** Opens the live stream of an organization, and returns a function that reads it until it contains a text. */
const openStream = async (mock: Mock, after = '') => {
  const stopped = new AbortController()
  onTestFinished(() => stopped.abort())
  const url = `${mock.url}/_wabakit/organizations/${mock.organizationId}/stream?after=${after}`
  const { body, headers } = await fetch(url, { signal: stopped.signal })
  expect(headers.get('content-type')).toBe('text/event-stream')
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async (wanted?: string): Promise<string> => {
    while (wanted === undefined || !text.includes(wanted)) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) break
      text += value
    }
    return text
  }
}

test('a stream shows events and attempts as they happen, and ends with a reset', async () => {
  const mock = await start()
  const { handled } = await subscribe(mock)
  await mock.trigger('CALL_ENDED', { callId: 'call-1' })
  const read = await openStream(mock)
  await read('call-1')
  mock.faults.deliveries.delay('CALL_ENDED', { by: '1m' })
  await mock.trigger('CALL_ENDED', { callId: 'call-2' })
  await mock.clock.advance(0)
  await mock.trigger('CALL_MISSED', { callId: 'call-3', channel: 'PSTN' })
  await call(mock, 'POST /waits', { for: 'delivery', name: 'CALL_MISSED' })
  const text = await read('call:call-3","subscriptionId')
  // To the server, a delivery that a fault holds back has been delivered.
  expect(text).not.toMatch(/event: attempt\ndata: .*call:call-2.*127\.0\.0\.1/)
  expect(text).toMatch(/event: event\nid: evt_\w+\ndata: .*call:call-2/)
  expect(handled).toEqual(['CALL_ENDED', 'CALL_MISSED'])
  await call(mock, 'POST /reset')
  expect(await read()).toBe(await read('call-3'))
  const again = await openStream(mock, 'evt_unknown')
  expect(await again('retry: 1000')).not.toContain('call-1')
})

/** The operation that does over HTTP what a member of the mock does in process; `null` for what HTTP clients have. */
const counterparts = {
  organizationId: 'listTenants',
  apiKey: 'listTenants',
  secret: 'listTenants',
  url: 'listTenants',
  wabaNumber: 'listTenants',
  pstnNumber: 'listTenants',
  seed: 'listTenants',
  profile: 'listTenants',
  requests: 'getRecordings',
  events: 'getRecordings',
  deliveries: 'getRecordings',
  waitForEvent: 'waitForEvent',
  waitForDelivery: 'waitForEvent',
  expectNoEvent: 'waitForEvent',
  clock: 'advanceClock',
  trigger: 'triggerEvent',
  reset: 'resetTenant',
  saveTrace: 'getTestLog',
  tenant: 'createTenant',
  simulateCall: 'simulateCall',
  simulateSummary: 'saveSummary',
  simulateParticipant: 'simulateParticipant',
  deliverTo: 'createSubscription',
  subscribe: 'createSubscription',
  server: 'listOrganizations',
  faults: 'addFault',
  client: null,
  fetch: null,
  close: null,
  [Symbol.asyncDispose]: null,
} as const satisfies Record<keyof Mock, string | null>

const faultCounterparts = {
  next: 'addFault',
  deliveries: 'addDeliveryFault',
  clear: 'clearDeliveryFaults',
  assertUsed: 'listUnusedFaults',
} as const satisfies Record<keyof Mock['faults'], string>

test('fetch responds to the control API without a port, and never shows it to a page of another machine', async () => {
  await using mock = await createMock()
  const { callId } = await mock.simulateCall()
  const calls = `${mock.url}/_wabakit/organizations/${mock.organizationId}/calls`
  expect(await (await mock.fetch(calls)).json()).toMatchObject({ items: [{ callId }] })
  const refused = await mock.fetch(calls, { headers: { origin: 'https://elsewhere.example' } })
  expect(refused.status).toBe(403)
})

test('a test can do over HTTP what it can do in process', async () => {
  const mock = await start()
  const { body: document } = await call(mock, 'GET //openapi.json')
  const described: { operationId: string }[] = Object.values(document.paths).flatMap((path) =>
    Object.values(path as object),
  )
  const ids = described.map(({ operationId }) => operationId)
  const needed = Object.values({ ...counterparts, ...faultCounterparts })
  expect(needed.filter((id) => id !== null && !ids.includes(id))).toEqual([])

  const listFields = (schema: string): string[] =>
    Object.keys(document.components.schemas[schema].properties).sort()
  const listOwn = (...shapes: object[]): string[] => [...new Set(shapes.flatMap(Object.keys))].sort()
  const deliveryFaults = Object.values(deliveryFaultSchemas)
  expect(listFields('DeliveryFaultRequest')).toEqual(listOwn(...deliveryFaults.map(({ shape }) => shape)))
  expect(document.components.schemas.DeliveryFaultRequest.properties.kind.enum.toSorted()).toEqual(
    deliveryFaults.map(({ shape }) => shape.kind.def.values[0]).toSorted(),
  )
  expect(listFields('TenantSettings')).toEqual(listOwn(TenantSettings.shape))
})

test('the mock serves every path of the document', async () => {
  const mock = await start()
  const { body: document } = await call(mock, 'GET //openapi.json')
  const unserved: string[] = []
  for (const [path, operations] of Object.entries(document.paths)) {
    const target = path.replace('{organizationId}', 'org_9').replaceAll(/\{\w+\}/g, 'x')
    for (const method of Object.keys(operations as object)) {
      const { body } = await call(mock, `${method.toUpperCase()} /${target}`)
      if (/There is no such path/.test(JSON.stringify(body))) unserved.push(`${method} ${path}`)
    }
  }
  expect(unserved).toEqual([])
  const info = { version: expect.any(String), database: 'memory', role: 'all', can: ['faults', 'mock'] }
  expect((await call(mock, 'GET //info')).body).toEqual(info)
})

test('faults that had no effect are listed at the end of a test', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const mock = await start()
  await call(mock, 'POST //faults', { endpoint: 'groups.create', status: 500 })
  const removed = await call(mock, 'POST /delivery-faults', { kind: 'drop', event: 'CALL_ENDED' })
  await call(mock, 'POST /delivery-faults', { kind: 'drop', event: 'CALL_MISSED' })
  await call(mock, `DELETE /delivery-faults/${removed.body.id}`)
  const { body } = await call(mock, 'GET /unused-faults')
  expect(body.items).toEqual([
    'faults.next {"endpoint":"groups.create","fault":{"status":500}}',
    'faults.deliveries.drop {"kind":"drop","event":"CALL_MISSED"}',
  ])
  await call(mock, 'DELETE //faults')
  await call(mock, 'DELETE /delivery-faults')
  expect((await call(mock, 'GET /unused-faults')).body.items).toEqual([])
  await mock.close()
  expect(warn.mock.calls.join()).toMatch(/faults\.next.*\n.*deliveries\.drop/)
})

test('a page of another origin can call the mock on its port', async () => {
  const mock = await start()
  const origin = 'http://localhost:5173'
  const preflight = await fetch(`${mock.url}/whatsapp/wa-group/create`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-public-api-key',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-public-api-key')
  const response = await fetch(`${mock.url}/v1/call/ai-summary?callId=call-1`, {
    headers: { origin, authorization: mock.apiKey },
  })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
  expect(mock.requests).toHaveLength(1)

  const control = async (page: string) =>
    (await fetch(`${mock.url}/_wabakit/tenants`, { headers: { origin: page } })).status
  expect(await control('https://evil.example')).toBe(403)
  expect(await control(origin)).toBe(200)
})

test.each([
  ['evil.example', 403],
  ['evil.example:80', 403],
  ['127.0.0.1.evil.example', 403],
  ['[::2]', 403],
  ['localhost', 200],
  ['localhost:80', 200],
  ['app.localhost', 200],
  ['[::1]:80', 200],
])(
  'the control API of a request to the host %s, which could be a foreign name of this machine, is %i',
  async (host, expected) => {
    const mock = await start()
    const { port } = new URL(mock.url)
    const ask = (target: string) =>
      sendBytes(Number(port), `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(getStatus(await ask('/_wabakit/tenants'))).toBe(expected)
    expect(getStatus(await ask(`http://${host}/_wabakit/openapi.json`))).toBe(expected)
  },
)

test('a mock that other machines can reach needs a token, and answers under any host name with it', async () => {
  await expect(createMock({ port: 0, host: '0.0.0.0' })).rejects.toThrow(/other machines.*controlToken/)
  await expect(createMock({ host: '127.0.0.1' })).rejects.toThrow(/need a port/)
  const controlToken = 'a-control-token-of-24-bytes'
  const mock = await createMock({ port: 0, host: '0.0.0.0', controlToken })
  onTestFinished(mock.close)
  const get = (authorization: string) =>
    sendBytes(
      Number(new URL(mock.url).port),
      `GET /_wabakit/info HTTP/1.1\r\nhost: mock:4100\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`,
    ).then(getStatus)
  expect(await Promise.all([get(`Bearer ${controlToken}`), get('Bearer wrong')])).toEqual([200, 401])
})
