import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { hosts } from './hosts.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

const number = '+15550100001'

const subscribe = async (server: { readonly url: string }, url: string): Promise<string> => {
  const body = { channel: 'WHATSAPP', number, url }
  return (await control(server, 'POST /organizations/acme/subscriptions', body)).body.id
}

describe.each(hosts)('$name', ({ organizationId, root, open }) => {
  test('an overview without events and subscriptions has no rates', async () => {
    const host = await open()
    const { body } = await control(host, `GET ${root}/overview?window=day`)
    expect(body).toMatchObject({
      stepMs: 600_000,
      totals: { events: 0, successRate: null },
      latency: { p50Ms: null, p95Ms: null },
      failures: [],
      backlog: { unfinished: 0, oldestAt: null },
    })
    expect((await control(host, `GET ${root}/overview?window=year`)).status).toBe(400)
  })

  test('search finds records by any id, number or text, exact hits first', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    const { id: subscriptionId } = (await host.subscribe(endpoint.url)).body
    const created = await host.createGroup({ groupId: 'team-1', subject: 'Launch of Y' })
    const requestId = created.headers.get('x-request-id')
    const joined = { groupId: 'team-1', phone: '+49 30 1234567', state: 'joined' }
    await control(host, `POST ${root}/participants`, joined)
    const simulated = { callId: 'call-7', customerNumber: '+49301234567' }
    await control(host, `POST ${root}/simulated-calls`, simulated)
    const find = async (text: string) => {
      const path = `GET ${root}/search?text=${encodeURIComponent(text)}`
      const { items } = (await control(host, path)).body
      return items.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`)
    }
    await host.service.dispatcher.runDue()
    await control(host, `POST ${root}/deliveries/resend`, { all: true, newWebhookId: true })
    const [event] = (await control(host, `GET ${root}/events`)).body.items
    const [delivery] = (await control(host, `GET ${root}/deliveries`)).body.items
    const [key] = (await control(host, `GET ${root}/api-keys`)).body.items

    expect((await find('call-7'))[0]).toBe('call call-7')
    expect((await find('team-1'))[0]).toBe('group team-1')
    expect(await find('launch of')).toContain('group team-1')
    for (const dialed of ['+49 (30) 123-4567', '49301234567', '0049 30 1234567', '030 1234567'])
      expect((await find(dialed))[0], dialed).toBe('customer 49301234567')
    expect((await find(event.id))[0]).toBe(`event ${event.id}`)
    expect(delivery.webhookId).not.toBe(event.id)
    expect((await find(delivery.webhookId))[0]).toBe(`event ${event.id}`)
    expect(await find(delivery.id)).toEqual([`delivery ${delivery.id}`])
    expect((await find(subscriptionId))[0]).toBe(`subscription ${subscriptionId}`)
    expect(await find(endpoint.url)).toContain(`subscription ${subscriptionId}`)
    expect((await find(key.id))[0]).toBe(`api_key ${key.id}`)
    expect(await find(requestId ?? '')).toEqual([`api_request ${requestId}`])
    expect(await find('nothing has this')).toEqual([])

    const [group] = (await control(host, `GET ${root}/groups`)).body.items
    const [call] = (await control(host, `GET ${root}/calls`)).body.items
    const subscription = (await control(host, `GET ${root}/subscriptions/${subscriptionId}`)).body
    const request = (await control(host, `GET /requests/${requestId}`)).body
    const stranger = { authorization: 'wk_wrong_key_0123456789', 'user-agent': 'crm/7' }
    const { headers } = await host.createGroup({}, stranger)
    const refused = (await control(host, `GET /requests/${headers.get('x-request-id')}`)).body
    const refusal = 'POST /whatsapp/wa-group/create 401 invalid_api_key'
    const exact = true
    for (const [text, hit] of [
      ['call-7', { kind: 'call', label: 'incoming +49301234567, ended', at: call.initiatedAt, exact }],
      ['all-7', { kind: 'call', id: 'call-7', exact: false }],
      ['team-1', { kind: 'group', label: 'Launch of Y', at: group.createdAt, exact }],
      ['launch', { kind: 'group', id: 'team-1', exact: false }],
      ['+49301234567', { kind: 'customer', label: '+49301234567', at: null, exact }],
      [event.id, { kind: 'event', label: 'GROUP_CREATED, group:team-1', at: event.occurredAt, exact }],
      [delivery.id, { kind: 'delivery', label: expect.any(String), at: delivery.createdAt, exact }],
      [subscriptionId, { kind: 'subscription', label: endpoint.url, at: subscription.createdAt, exact }],
      [host.wabaNumber, { kind: 'subscription', id: subscriptionId, exact: false }],
      [key.id, { kind: 'api_key', label: '', at: key.createdAt, exact }],
      [key.fingerprint, { kind: 'api_key', id: key.id, exact: false }],
      [
        request.requestId,
        { kind: 'api_request', label: 'POST /whatsapp/wa-group/create 200', at: request.at, exact },
      ],
      ...[refused.keyFingerprint, '401', 'wa-group/create', 'crm/7', refused.address].map(
        (text) =>
          [text, { kind: 'api_request', id: refused.requestId, label: refusal, exact: false }] as const,
      ),
    ] as const) {
      const path = `GET ${root}/search?text=${encodeURIComponent(text)}`
      const { items } = (await control(host, path)).body
      expect(items.find(({ kind }: { kind: string }) => kind === hit.kind)).toMatchObject(hit)
    }
    expect((await control(host, `GET ${root}/search`)).status).toBe(400)
  })

  test('search finds the last of more subscriptions than a page has', async () => {
    const host = await open()
    const { subscriptions } = host.service
    for (let index = 0; index <= 100; index++) {
      await subscriptions.create(organizationId, {
        channel: 'WHATSAPP',
        number: host.wabaNumber,
        url: `https://receiver.example/${index}`,
      })
    }
    const { items } = (await control(host, `GET ${root}/search?text=example/100`)).body
    expect(items).toMatchObject([{ kind: 'subscription', label: 'https://receiver.example/100' }])
  })

  test('measures the backlog again for each overview', async () => {
    const host = await open()
    // The connection is refused, so that its deliveries stay unfinished.
    await host.subscribe('http://127.0.0.1:1/')
    const measured: unknown[] = []
    for (const groupId of ['g1', 'g2']) {
      await host.createGroup({ groupId })
      measured.push((await control(host, `GET ${root}/overview`)).body.backlog.unfinished)
    }
    expect(measured).toEqual([1, 2])
  })

  test('search finds a customer by a part of the number, and many calls do not hide a group', async () => {
    const host = await open()
    for (let count = 0; count < 20; count++)
      await control(host, `POST ${root}/simulated-calls`, { customerNumber: '+49 30 1004711' })
    await host.createGroup({ groupId: 'team-1', subject: 'Order 4711' })
    const { items } = (await control(host, `GET ${root}/search?text=4711`)).body
    expect(items[0]).toMatchObject({ kind: 'customer', id: '49301004711', exact: false })
    expect(items).toContainEqual(expect.objectContaining({ kind: 'group', id: 'team-1' }))
    expect(items).toHaveLength(20)
  })

  test('shows what is stored about a customer, and the groups and members that belong together', async () => {
    const host = await open()
    await host.subscribe((await listenForWebhooks()).url)
    for (const groupId of ['g1', 'g2']) await host.createGroup({ groupId })
    const step = (groupId: string, phone: string, state: string) =>
      control(host, `POST ${root}/participants`, { groupId, phone, state })
    await step('g1', '+49 30 1234567', 'joined')
    await step('g1', '+49 30 1', 'joined')
    await step('g1', '+49 30 1', 'left')
    const call = {
      callId: 'c1',
      customerNumber: '+49301234567',
      channel: 'WHATSAPP',
      summary: { recap: 'Agreed.' },
    }
    await control(host, `POST ${root}/simulated-calls`, call)

    const { body } = await control(host, `GET ${root}/customers/49301234567`)
    expect(body).toMatchObject({
      digits: '49301234567',
      calls: [{ callId: 'c1', summary: { recap: 'Agreed.' } }],
      hasMoreCalls: false,
      memberships: [{ groupId: 'g1', state: 'joined' }],
    })
    const subjects = body.deliveries.map(({ subject }: { subject: string }) => subject)
    expect(new Set(subjects)).toEqual(new Set(['call:c1', 'group:g1']))
    // The group's other deliveries are about the group, or about other members.
    expect(subjects.filter((subject: string) => subject === 'group:g1')).toHaveLength(1)
    expect((await control(host, `GET ${root}/customers/4930`)).status).toBe(404)
    expect((await control(host, `GET ${root}/customers/nobody`)).status).toBe(400)

    const members = await control(host, `GET ${root}/participants?group=g1&limit=1`)
    expect(members.body.items).toMatchObject([
      { phone: '+49 30 1', state: 'left', changedAt: expect.any(String) },
    ])
    const next = `GET ${root}/participants?group=g1&cursor=${members.body.nextCursor}`
    expect((await control(host, next)).body.items).toMatchObject([
      { phone: '+49 30 1234567', state: 'joined' },
    ])
    const groups = await control(host, `GET ${root}/groups?participant=%2B49301234567`)
    expect(groups.body.items).toMatchObject([{ groupId: 'g1' }])
    expect((await control(host, `GET ${root}/participants?group=none`)).status).toBe(404)
  })

  test('shows the newest 20 calls of a customer, and the newest 10 deliveries of each', async () => {
    const host = await open()
    const { calls, events, subscriptions } = host.service
    const [channel, channelNumber, url] = ['PSTN', host.pstnNumber, 'http://127.0.0.1:9/'] as const
    await subscriptions.create(organizationId, { channel, number: channelNumber, url, enabled: false })
    const ids = Array.from({ length: 21 }, (_, index) => `c${10 + index}`)
    const call = { channel, channelNumber, direction: 'INCOMING', customerNumber: '+49301234567' } as const
    for (const callId of ids) await calls.start(organizationId, { ...call, callId })
    const event = {
      name: 'CALL_ENDED',
      subject: 'call:c30',
      channel,
      number: channelNumber,
      payload: '{}',
    } as const
    for (let count = 0; count < 11; count++) await events.publish(organizationId, event)

    const { body } = await control(host, `GET ${root}/customers/+49301234567`)

    expect(body.calls.map(({ callId }: { callId: string }) => callId)).toEqual(ids.slice(1).toReversed())
    expect(body.hasMoreCalls).toBe(true)
    const deliveries: { subject: string; createdAt: string; eventName: string }[] = body.deliveries
    const ofLast = deliveries.filter(({ subject }) => subject === 'call:c30')
    expect(ofLast.map(({ eventName }) => eventName)).toEqual(Array(10).fill('CALL_ENDED'))
    expect(new Set(deliveries.map(({ subject }) => subject)).size).toBe(20)
    const times = deliveries.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test('a request of the public API can be read with its bodies, but never with its key', async () => {
    const host = await open()
    const { key } = host
    const created = await host.createGroup({ description: `my key is ${key}`, groupId: 'g1' })
    const refused = await host.createGroup({}, { authorization: 'wk_wrong_key_0123456789' })
    const read = async (response: Response) =>
      (await control(host, `GET /requests/${response.headers.get('x-request-id')}`)).body

    const { requestBody, responseBody } = await read(created)
    expect(JSON.parse(requestBody)).toMatchObject({ groupId: 'g1', description: 'my key is •••' })
    expect(JSON.parse(responseBody)).toEqual({ success: true, groupId: 'g1' })
    const stranger = await read(refused)
    const read401 = async (
      headers: Record<string, string>,
      path = '/v1/call/ai-summary?callId=c1&wk_wrong',
    ) => read(await fetch(host.url + path, { headers: { 'user-agent': 'crm/1 wk_wrong_key', ...headers } }))
    expect(stranger).toMatchObject({
      keyFault: 'unknown',
      keyFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
    })
    expect(await read401({ authorization: 'Bearer wk_wrong_key' })).toMatchObject({
      ...{ address: '127.0.0.1', userAgent: 'crm/1 •••', query: 'callId=***&***' },
      keyFault: 'unknown',
    })
    expect(await read401({})).toMatchObject({ keyFault: 'missing', keyFingerprint: null })
    expect(await read401({ authorization: 'one', 'x-public-api-key': 'two' })).toMatchObject({
      ...{ keyFault: 'conflicting', keyFingerprint: null },
    })
    const { items } = (await control(host, `GET ${root}/api-keys`)).body
    expect(await read(created)).toMatchObject({
      keyFault: null,
      keyFingerprint: items[0].fingerprint,
      query: null,
    })
    expect(stranger).toMatchObject({ organizationId: null, status: 401, requestBody: null })
    expect(JSON.parse(stranger.responseBody)).toMatchObject({ code: 'invalid_api_key' })
    const ofAcme = await control(host, `GET /requests?organization=${organizationId}&unidentified=include`)
    expect(ofAcme.body.items.map(({ status }: { status: number }) => status)).toEqual([
      401, 401, 401, 401, 200,
    ])
    expect((await control(host, 'GET /requests/none')).status).toBe(404)
    const keys = await control(host, `GET ${root}/api-keys`)
    expect(keys.body.items).toMatchObject([{ lastRequestAt: expect.any(String) }])
  })

  test('lists every event with a sample that its schema describes', async () => {
    const { body } = await control(await open(), 'GET /event-types')
    expect(body.items.length).toBeGreaterThanOrEqual(9)
    for (const { name, example, schema, description, channels } of body.items) {
      expect(schema.required, name).toContain('event')
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(example)))
      expect(description).not.toBe('')
      expect(channels.length).toBeGreaterThan(0)
    }
  })
})

// A mock has no database. `packages/mock/test/control.test.ts` tests its figures, which follow the virtual clock.
test.each([
  ['SQLite', () => `${temporaryFolder()}/wabakit.db`],
  ['PostgreSQL', createPostgresDatabase],
])(
  'shows events and attempts over time, by endpoint, and keeps them when it restarts: %s',
  async (_name, open) => {
    const database = await open()
    const good = await listenForWebhooks()
    const bad = await listenForWebhooks(() => ({ status: 401, body: 'wrong signature' }))
    const first = await start({ database })
    const goodId = await subscribe(first, good.url)
    const badId = await subscribe(first, bad.url)
    for (const groupId of ['g1', 'g2']) await createGroup(first.url, { groupId })
    const simulated = { channel: 'PSTN', number: '+15550100002', subject: 'call:c1', payload: '{}' } as const
    await first.service.events.publish('acme', { ...simulated, name: 'CALL_ENDED' })
    await Promise.all([good.arrived(2), bad.arrived(2)])
    const read = async (server: { readonly url: string }, path: string) =>
      (await control(server, `GET ${path}`)).body
    const overviews = '/organizations/acme/overview/subscriptions'
    // An attempt that is under way when the server stops would be released.
    for (let settled = 0; settled < 4; await sleep(20)) {
      const { items } = await read(first, '/organizations/acme/deliveries')
      settled = items.filter(({ attempts }: { attempts: number }) => attempts > 0).length
    }
    await first.close()
    const server = await start({ database })

    for (const [window, points] of [
      ['hour', 60],
      ['day', 144],
      ['week', 168],
    ] as const) {
      const overview = await read(server, `/organizations/acme/overview?window=${window}`)
      expect(overview.times).toHaveLength(points)
      const { failed } = overview.totals
      expect(failed).toBeGreaterThanOrEqual(2)
      expect(overview.totals).toMatchObject({ events: 3, delivered: 2, successRate: 2 / (2 + failed) })
      expect(overview.series.events.reduce((sum: number, each: number) => sum + each)).toBe(3)
      expect(overview.series.p95Ms.filter((each: unknown) => each !== null).length).toBeGreaterThan(0)
    }
    const overview = await read(server, '/organizations/acme/overview')
    expect(overview.failures).toMatchObject([{ cause: 'wrong_secret', response: '400,401,403' }])
    expect(overview.backlog).toEqual({ unfinished: 2, oldestAt: expect.any(String) })
    expect(overview.subscriptions).toEqual({ working: 1, untried: 0, behind: 0, failing: 1, disabled: 0 })
    expect(overview.latency.p50Ms).toBeLessThanOrEqual(30_000)

    const { items } = await read(server, overviews)
    expect(items).toMatchObject([
      { subscription: { id: badId }, state: 'failing', backlog: { unfinished: 2 } },
      { subscription: { id: goodId }, state: 'working', totals: { delivered: 2, failed: 0, successRate: 1 } },
    ])
    const firstPage = await read(server, `${overviews}?limit=1`)
    const nextPage = await read(server, `${overviews}?limit=1&cursor=${firstPage.nextCursor}`)
    expect([...firstPage.items, ...nextPage.items]).toMatchObject([
      { subscription: { id: badId } },
      { subscription: { id: goodId } },
    ])
    expect(nextPage).not.toHaveProperty('nextCursor')
    const path = `/organizations/acme/subscriptions/${badId}/overview`
    expect(await read(server, path)).toMatchObject({
      totals: { delivered: 0, successRate: 0 },
      window: 'hour',
    })
    const { window, times } = await read(server, `${path}?window=week`)
    expect([window, times.length]).toEqual(['week', 168])
  },
)

// Only a server compresses.
test('compresses what it reads, but neither secrets nor live streams', async () => {
  const server = await start()
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/_wabakit${path}`, {
      ...init,
      headers: { 'accept-encoding': 'gzip', ...init.headers },
    })
  const overview = await get('/organizations/acme/overview')
  expect(overview.headers.get('content-encoding')).toBe('gzip')
  expect(overview.headers.get('vary')).toBe('accept-encoding')
  expect(await overview.json()).toMatchObject({ window: 'hour' })
  const created = await get('/organizations/acme/subscriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'WHATSAPP', number, url: `http://127.0.0.1/${'x'.repeat(2_000)}` }),
  })
  expect(created.status).toBe(201)
  expect(created.headers.get('content-encoding')).toBeNull()
  const aborted = new AbortController()
  const stream = await get('/organizations/acme/stream', { signal: aborted.signal })
  expect(stream.headers.get('content-encoding')).toBeNull()
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  // Without them, nginx and compressors hold messages back.
  expect(stream.headers.get('x-accel-buffering')).toBe('no')
  expect(stream.headers.get('cache-control')).toBe('no-store, no-transform')
  aborted.abort()
  for (const { headers } of [overview, created, stream, await get('/nothing')]) {
    expect(headers.get('cache-control')).toMatch(/^no-store/)
    expect(headers.get('x-request-id')).toMatch(/^req_/)
  }
})
