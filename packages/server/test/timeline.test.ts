import { createServer } from 'node:http'
import { verifySignature } from '@wabakit/webhooks'
import { describe, expect, test } from 'vitest'
import { acme, control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { hosts } from './hosts.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

type Entry = { kind: string; at: string; marks: { kind: string }[]; [field: string]: unknown }

describe.each(hosts)('$name', ({ name, organizationId, root, open }) => {
  type Opened = Awaited<ReturnType<typeof open>>
  const subscribe = async (host: Opened, url: string, more?: object) => (await host.subscribe(url, more)).body

  test('shows the timeline of a group: the request, the event, attempts with diagnoses, and the next step', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks(() => ({
      status: 401,
      body: '{"code":"no_matching_signature","message":"No signature matches."}',
    }))
    await subscribe(host, endpoint.url)
    await host.createGroup({ groupId: 'a' })
    await host.createGroup({ groupId: 'a' })
    await control(host, `POST ${root}/participants`, { groupId: 'a', phone: '+15550199001', state: 'joined' })
    await host.service.dispatcher.runDue()

    const { body } = await control(host, `GET ${root}/timeline?group=a`)

    expect(body).toMatchObject({ subject: 'group:a', call: null, group: { groupId: 'a' } })
    expect(body.subscriptions).toHaveLength(1)
    const kinds = body.entries.map(({ kind, marks }: Entry) =>
      [kind, ...marks.map((mark) => mark.kind)].join(' '),
    )
    expect(kinds.toSorted()).toEqual([
      'attempt',
      'change',
      'event',
      'event',
      'next_attempt',
      'request',
      'request duplicate',
    ])
    const attempt = body.entries.find(({ kind }: Entry) => kind === 'attempt')
    expect(attempt).toMatchObject({
      eventName: 'GROUP_CREATED',
      attempt: {
        status: 401,
        diagnosis: { cause: 'wrong_secret', remedy: expect.stringContaining('secret') },
      },
    })
    expect(body.entries.at(-1)).toMatchObject({ kind: 'next_attempt', number: 2 })
    expect(body.deliveries).toMatchObject([
      { wait: { reason: 'retry', text: expect.stringMatching(/^Next attempt at \d\d:\d\d:\d\d UTC\.$/) } },
      {
        wait: {
          reason: 'lane',
          attempt: 1,
          eventName: 'GROUP_CREATED',
          text: expect.stringMatching(
            /^Waits for GROUP_CREATED, which failed, next attempt at \d\d:\d\d:\d\d UTC\.$/,
          ),
        },
      },
    ])
    const [, second] = body.deliveries
    const shown = await control(host, `GET ${root}/deliveries/${second.id}`)
    expect(shown.body.wait).toMatchObject({ reason: 'lane', attempt: 1 })
  })

  test('shows the timeline of a call, with a duplicate after a resend', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    await subscribe(host, endpoint.url, { channel: 'PSTN', number: host.pstnNumber })
    await control(host, `POST ${root}/simulated-calls`, { callId: 'c1' })
    await host.service.dispatcher.runDue()
    await control(host, `POST ${root}/deliveries/resend`, { name: 'CALL_ENDED' })
    await host.service.dispatcher.runDue()

    const { body } = await control(host, `GET ${root}/timeline?call=c1`)

    expect(body).toMatchObject({ call: { callId: 'c1', state: 'ended' }, group: null })
    const changes = body.entries.filter(({ kind }: Entry) => kind === 'change')
    expect(changes.map(({ state }: Entry) => state).toSorted()).toEqual([
      'accepted',
      'ended',
      'initiated',
      'summarized',
    ])
    const duplicates = body.entries.filter(({ marks }: Entry) =>
      marks.some(({ kind }) => kind === 'duplicate'),
    )
    expect(duplicates).toMatchObject([{ kind: 'attempt', eventName: 'CALL_ENDED', attempt: { number: 2 } }])
    const times = body.entries.map(({ at }: Entry) => at)
    expect(times).toEqual(times.toSorted())
  })

  test('shows nothing about another group, and the delivery of its own lane that one waits for', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks(() => 500)
    await subscribe(host, endpoint.url)
    for (const groupId of ['a', 'b']) {
      await host.createGroup({ groupId })
      const joined = { groupId, phone: '+15550199001', state: 'joined' }
      await control(host, `POST ${root}/participants`, joined)
    }
    await host.service.dispatcher.runDue()

    const { body } = await control(host, `GET ${root}/timeline?group=b`)

    expect(body.deliveries).toMatchObject([
      { eventName: 'GROUP_CREATED', subject: 'group:b' },
      { eventName: 'GROUP_PARTICIPANT_JOINED', subject: 'group:b' },
    ])
    const deliveryIds = body.deliveries.map(({ id }: { id: string }) => id)
    for (const { event, deliveryId } of body.entries) {
      if (event !== undefined) expect(event).toMatchObject({ subject: 'group:b' })
      if (deliveryId !== undefined) expect(deliveryIds).toContain(deliveryId)
    }
    const [created, waiting] = deliveryIds
    const shown = await control(host, `GET ${root}/deliveries/${waiting}`)
    expect(shown.body.wait).toMatchObject({ reason: 'lane', deliveryId: created })
  })

  test('shows how deliveries ended, what was never received, and only the own requests', async () => {
    const other = {
      id: 'other',
      integrations: [{ wabaNumber: '+15550200001' }],
      apiKeys: [{ key: 'wk_other_key_0123456789' }],
    }
    const host = await open()
    await host.service.organizations.create(other)
    let status = 409
    const endpoint = await listenForWebhooks(() => status, { 'retry-after': '600' })
    const { id } = await subscribe(host, endpoint.url)
    await host.createGroup({ groupId: 'a' })
    const theirs = { groupId: 'a', wabaNumber: '+15550200001' }
    await host.createGroup(theirs, { authorization: 'wk_other_key_0123456789' })
    await host.service.dispatcher.runDue()
    const read = async () => (await control(host, `GET ${root}/timeline?group=a`)).body
    const deferred = await read()
    expect(deferred.entries.at(-1)).toMatchObject({ kind: 'next_attempt', number: 2 })
    const requests = deferred.entries.filter(({ kind }: Entry) => kind === 'request')
    expect(requests).toMatchObject([{ request: { organizationId } }])

    const [{ id: deliveryId }] = deferred.deliveries
    await control(host, `POST ${root}/deliveries/${deliveryId}/cancel`)
    status = 200
    const joined = { groupId: 'a', phone: '+15550199001', state: 'joined' }
    await control(host, `POST ${root}/participants`, joined)
    await host.service.dispatcher.runDue()
    await control(host, `PATCH ${root}/subscriptions/${id}`, { enabled: false })
    const ended = await read()
    expect(ended.entries.filter(({ kind }: Entry) => kind === 'finished')).toMatchObject([
      { eventName: 'GROUP_CREATED', status: 'skipped', marks: [{ kind: 'gap' }] },
      { eventName: 'GROUP_PARTICIPANT_JOINED', status: 'delivered', marks: [] },
    ])
    const disabled = { reason: 'disabled', disabledReason: 'by_hand' }
    expect(ended.deliveries).toMatchObject([{ wait: disabled }, { wait: null }])
    const shown = await control(host, `GET ${root}/deliveries/${deliveryId}`)
    expect(shown.body.wait).toMatchObject(disabled)
    const events = ended.entries.flatMap(({ event }: Entry) => Object(event).name ?? [])
    expect(events).toEqual(['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED'])
  })

  test('requires exactly one known call or group', async () => {
    const host = await open()
    for (const query of ['', '?call=a&group=b']) {
      expect((await control(host, `GET ${root}/timeline${query}`)).body.code).toBe('invalid_input')
    }
    expect(await control(host, `GET ${root}/timeline?call=unknown`)).toMatchObject({
      status: 404,
      body: { message: 'There is no call "unknown".' },
    })
  })

  test('brings an attempt forward, and cancels it', async () => {
    const host = await open()
    let status = 500
    const endpoint = await listenForWebhooks(() => status)
    await subscribe(host, endpoint.url)
    await host.createGroup({ groupId: 'a' })
    await host.service.dispatcher.runDue()
    const [{ id }] = (await control(host, `GET ${root}/deliveries`)).body.items

    const retried = await control(host, `POST ${root}/deliveries/${id}/retry`)
    expect(retried.body).toMatchObject({ id, failures: 1 })
    await host.service.dispatcher.runDue()
    const canceled = await control(host, `POST ${root}/deliveries/${id}/cancel`)
    expect(canceled).toMatchObject({ status: 200, body: { status: 'skipped', attempts: 2, wait: null } })
    for (const step of ['retry', 'cancel']) {
      const refused = await control(host, `POST ${root}/deliveries/${id}/${step}`)
      expect(refused).toMatchObject({ status: 409, body: { code: 'illegal_transition' } })
      expect((await control(host, `POST ${root}/deliveries/nobody/${step}`)).status).toBe(404)
    }
    status = 200
    expect((await control(host, `POST ${root}/deliveries/${id}/resend`, {})).body).toEqual({ resent: 1 })
  })

  test('sends a test event to one subscription only', async () => {
    const host = await open()
    const [one, other] = [await listenForWebhooks(), await listenForWebhooks()]
    const { id } = await subscribe(host, one.url)
    await subscribe(host, other.url)
    const testPath = `POST ${root}/subscriptions/${id}/test-events`

    const sent = await control(host, testPath, {})
    expect(sent).toMatchObject({ status: 201, body: { name: 'GROUP_CREATED', channel: 'WHATSAPP' } })
    expect(sent.body.subject).toMatch(/^group:test_/)
    await host.service.dispatcher.runDue()
    expect((await control(host, `GET ${root}/deliveries`)).body.items).toMatchObject([{ subscriptionId: id }])

    const edited = await control(host, testPath, { name: 'X', payload: { event: 'X', groupId: 'g' } })
    expect(edited).toMatchObject({
      status: 201,
      body: { subject: 'group:g', payload: '{"event":"X","groupId":"g"}' },
    })
    expect((await control(host, testPath, { name: 'X' })).body.code).toBe('invalid_input')
    const narrow = await subscribe(host, one.url, { events: ['GROUP_PARTICIPANT_LEFT'] })
    const narrowPath = `POST ${root}/subscriptions/${narrow.id}/test-events`
    expect((await control(host, narrowPath, {})).body.name).toBe('GROUP_PARTICIPANT_LEFT')
    expect((await control(host, narrowPath, { name: 'GROUP_CREATED' })).body.code).toBe('invalid_input')
  })

  test('a test event is about a new call or group on the number of its subscription', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    const pstn = host.pstnNumber
    for (const [more, name, subject, payload] of [
      [{}, 'GROUP_CREATED', /^group:test_/, {}],
      [{ channel: 'PSTN', number: pstn }, 'CALL_INCOMING_INITIATED', /^call:test_/, { channel: 'PSTN' }],
      [{ events: ['GROUP_PARTICIPANT_LEFT', 'CALL_ENDED'] }, 'GROUP_PARTICIPANT_LEFT', /^group:test_/, {}],
      [{ events: ['CALL_ENDED'] }, 'CALL_ENDED', /^call:test_/, { channel: 'WHATSAPP' }],
    ] as const) {
      const subscription = await subscribe(host, endpoint.url, more)
      const sent = await control(host, `POST ${root}/subscriptions/${subscription.id}/test-events`, {})
      expect(sent.body).toMatchObject({ name, subject: expect.stringMatching(subject) })
      const { callId, groupId, ...fields } = JSON.parse(sent.body.payload)
      expect(sent.body.subject).toBe(callId === undefined ? `group:${groupId}` : `call:${callId}`)
      expect(fields).toMatchObject({ event: name, ...payload })
      for (const field of ['from', 'channelNumber', 'wabaNumber'])
        if (field in fields) expect([field, fields[field]]).toEqual([field, subscription.number])
    }
    const { id } = await subscribe(host, endpoint.url)
    const own = { subject: 'group:mine', payload: { event: 'X', groupId: 'other' }, name: 'X' }
    const sent = await control(host, `POST ${root}/subscriptions/${id}/test-events`, own)
    expect(sent.body).toMatchObject({ name: 'X', subject: 'group:mine' })
  })

  test("shows an attempt's request with a valid signature and without secret headers", async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    const { secret } = await subscribe(host, endpoint.url, { headers: { 'x-token': 'hush' } })
    await host.createGroup({ groupId: 'a' })
    await host.service.dispatcher.runDue()
    const [{ id }] = (await control(host, `GET ${root}/deliveries`)).body.items

    const { body } = await control(host, `GET ${root}/deliveries/${id}/attempts/1/request`)

    expect(body).toMatchObject({ method: 'POST', url: endpoint.url, hiddenHeaders: ['x-token'], changed: [] })
    expect(JSON.stringify(body)).not.toContain('hush')
    await verifySignature({ payload: body.body, headers: new Headers(body.headers), secrets: [secret] })
    // A mock sends none.
    expect(body.headers['user-agent']).toBe(name === 'a server' ? 'wabakit/0.0.0' : undefined)
    expect((await control(host, `GET ${root}/deliveries/${id}/attempts/9/request`)).status).toBe(404)
  })

  test("shows no user-agent in an attempt's request if the subscription has its own, which is secret", async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    await subscribe(host, endpoint.url, { headers: { 'user-agent': 'hush' } })
    await host.createGroup({ groupId: 'a' })
    await host.service.dispatcher.runDue()
    const [{ id }] = (await control(host, `GET ${root}/deliveries`)).body.items

    const { body } = await control(host, `GET ${root}/deliveries/${id}/attempts/1/request`)

    expect(endpoint.arrivals[0]?.headers['user-agent']).toBe('hush')
    expect(body.hiddenHeaders).toEqual(['user-agent'])
    expect(body.headers).not.toHaveProperty('user-agent')
  })

  test.each([
    [{ outcome: 'missed' }, { state: 'never', cause: 'missed' }],
    [{ outcome: 'rejected' }, { state: 'never', cause: 'rejected' }],
    [{ outcome: 'no_recording' }, { state: 'never', cause: 'no_recording' }],
    [{ outcome: 'nothing_said' }, { state: 'never', cause: 'nothing_said' }],
    [{ summary: false }, { state: 'not_due' }],
    [
      { summary: { after: '1h' } },
      { state: 'due', text: expect.stringMatching(/^The summary is due at .* UTC\.$/) },
    ],
    [{}, { state: 'arrived', text: 'The summary exists. No subscription matched its event.' }],
  ])(
    'says of a call that was simulated with %j why it has no summary, or that it arrived',
    async (body, expected) => {
      const host = await open()
      await control(host, `POST ${root}/simulated-calls`, { ...body, callId: 'c1' })

      const timeline = await control(host, `GET ${root}/timeline?call=c1`)

      expect(timeline.body.summaryStatus).toMatchObject(expected)
    },
  )

  test('reports that summaries are disabled, and that a call is not over', async () => {
    const host = await open({ callSummaries: 'manual' })
    await control(host, `POST ${root}/simulated-calls`, { callId: 'c1' })
    const call = { channel: 'PSTN', direction: 'INCOMING', channelNumber: host.pstnNumber }
    await control(host, `POST ${root}/calls`, { ...call, customerNumber: '+15550199001', callId: 'c2' })

    const [off, unended] = await Promise.all(
      ['c1', 'c2'].map(
        async (id) => (await control(host, `GET ${root}/timeline?call=${id}`)).body.summaryStatus,
      ),
    )

    expect(off).toMatchObject({ state: 'never', cause: 'switched_off' })
    expect(unended).toMatchObject({ state: 'not_ended' })
  })

  test('reports the delivery that a summary waits for, and the state of a missed call', async () => {
    const host = await open()
    let status = 500
    const endpoint = await listenForWebhooks(() => status)
    await subscribe(host, endpoint.url, {
      channel: 'PSTN',
      number: host.pstnNumber,
      events: ['CALL_ENDED', 'CALL_AI_SUMMARY'],
    })
    await control(host, `POST ${root}/simulated-calls`, { callId: 'c1' })
    await host.service.dispatcher.runDue()

    const { deliveries, summaryStatus } = (await control(host, `GET ${root}/timeline?call=c1`)).body
    const ended = deliveries.find(({ eventName }: { eventName: string }) => eventName === 'CALL_ENDED')
    const wait = { reason: 'event', deliveryId: ended.id, text: 'Waits for CALL_ENDED.' }
    expect(deliveries.map((each: { wait: unknown }) => each.wait)).toContainEqual(
      expect.objectContaining(wait),
    )
    expect(summaryStatus).toMatchObject({
      state: 'blocked',
      deliveryId: ended.id,
      eventName: 'CALL_ENDED',
      text: expect.stringContaining('not delivered: CALL_AI_SUMMARY waits for CALL_ENDED, which got 500'),
    })
    status = 200
    await control(host, `POST ${root}/deliveries/${ended.id}/resend`, {})
    await host.service.dispatcher.runDue()
    expect((await control(host, `GET ${root}/timeline?call=c1`)).body.summaryStatus).toMatchObject({
      state: 'arrived',
      text: 'The summary has arrived.',
    })

    await control(host, `POST ${root}/simulated-calls`, { callId: 'c2', outcome: 'missed' })
    const { entries } = (await control(host, `GET ${root}/timeline?call=c2`)).body
    expect(entries.filter(({ kind }: Entry) => kind === 'change').map(({ state }: Entry) => state)).toEqual([
      'initiated',
      'missed',
    ])
  })

  test('lists deliveries with their last response and subject, and finds them by response', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks(() => 401)
    await subscribe(host, endpoint.url, { channel: 'PSTN', number: host.pstnNumber })
    await subscribe(host, 'http://127.0.0.1:1/')
    await control(host, `POST ${root}/simulated-calls`, {
      callId: 'c1',
      outcome: 'missed',
      customerNumber: '+15550199001',
    })
    await host.createGroup({ groupId: 'a', subject: 'Team' })
    await host.service.dispatcher.runDue()
    const find = async (query: string) => (await control(host, `GET ${root}/deliveries?${query}`)).body.items

    expect(await find('response=401')).toMatchObject([
      { lastResponse: { status: 401, error: null }, customerNumber: '+15550199001', groupName: null },
    ])
    expect(await find('response=none')).toMatchObject([
      { lastResponse: { status: null, error: expect.any(String) }, customerNumber: null, groupName: 'Team' },
    ])
    expect(await find('response=4xx,none')).toMatchObject([
      { lastResponse: { status: 401 }, customerNumber: '+15550199001', groupName: null },
      { lastResponse: { status: null }, customerNumber: null, groupName: 'Team' },
    ])
    expect(await find('response=5xx')).toEqual([])
    expect((await control(host, `GET ${root}/deliveries?response=abc`)).body.code).toBe('invalid_input')
    const resend = `POST ${root}/deliveries/resend`
    expect((await control(host, resend, { response: '4xx', dryRun: true })).body).toEqual({ resent: 1 })
    expect((await control(host, resend, { response: '4xx' })).body).toEqual({ resent: 1 })
  })
})

const path = '/organizations/acme'
const number = acme.integrations[0]?.wabaNumber

const subscribe = async (server: { url: string }, url: string, more: object = {}) =>
  (await control(server, `POST ${path}/subscriptions`, { channel: 'WHATSAPP', number, url, ...more })).body

// A mock never waits for free slots of an endpoint: its one worker has a million.
test('a due delivery waits for the endpoint while it is handling another one', async () => {
  const server = await start({ shutdownGraceMs: 0 })
  const asked = Promise.withResolvers<void>()
  const endpoint = createServer((request) => {
    request.resume()
    asked.resolve()
  })
  await subscribe(server, `${await listenOnFreePort(endpoint)}/`)
  for (const groupId of ['a', 'b']) await createGroup(server.url, { groupId })
  await asked.promise
  const waits = await Promise.all(
    ['a', 'b'].map(async (groupId) => {
      const { deliveries } = (await control(server, `GET ${path}/timeline?group=${groupId}`)).body
      return deliveries.map(({ wait }: { wait: { reason: string } }) => wait.reason)
    }),
  )
  expect(waits).toEqual([['attempting'], ['endpoint']])
})

// A mock sends any payload to any endpoint, as a sandbox does: nothing that it sends is genuine.
test('publishes no custom payload for an endpoint on another machine, unless the server was started with mock', async () => {
  const payload = { event: 'GROUP_CREATED' }
  for (const mock of [false, true]) {
    const server = await start({ sandbox: mock })
    const { id } = await subscribe(server, 'https://receiver.example/')
    const sent = await control(server, `POST ${path}/subscriptions/${id}/test-events`, { payload })
    expect(sent.status).toBe(mock ? 201 : 403)
    if (!mock) expect(sent.body.code).toBe('not_allowed')
    const event = { name: 'GROUP_CREATED', subject: 'group:g', channel: 'WHATSAPP', payload }
    const published = await control(server, `POST ${path}/events`, { ...event, number: '+1 555 010 0001' })
    expect(published.status).toBe(mock ? 201 : 403)
    if (!mock) expect(published.body.code).toBe('not_allowed')
    const harmless = await control(server, `POST ${path}/subscriptions/${id}/test-events`, {})
    expect(harmless.status).toBe(201)
    const elsewhere = { ...event, number: '+15550100002', channel: 'PSTN' }
    expect((await control(server, `POST ${path}/events`, elsewhere)).status).toBe(201)
  }
})

test('a custom payload is refused only because of subscriptions that would get it', async () => {
  const integrations = [...acme.integrations, { wabaNumber: '+15550100003' }]
  const server = await start({ organizations: [{ ...acme, integrations }] })
  await subscribe(server, 'https://receiver.example/', { events: ['GROUP_PARTICIPANT_LEFT'] })
  await subscribe(server, 'https://receiver.example/', { channel: 'PSTN', number: acme.pstnNumbers[0] })
  const event = { subject: 'group:g', channel: 'WHATSAPP', number, payload: {} }
  for (const [changes, status] of [
    [{ name: 'GROUP_PARTICIPANT_LEFT' }, 403],
    [{ name: 'GROUP_PARTICIPANT_LEFT', number: '+1 (555) 010-0001' }, 403],
    [{ name: 'GROUP_PARTICIPANT_LEFT', number: '+15550100003' }, 201],
    [{ name: 'GROUP_CREATED' }, 201],
    [{ name: 'CALL_ENDED', channel: 'PSTN', number: acme.pstnNumbers[0] }, 403],
  ] as const) {
    const published = await control(server, `POST ${path}/events`, { ...event, ...changes })
    expect([changes, published.status]).toEqual([changes, status])
  }
})

test("does not send a custom payload to another machine when its subscription's URL changes", async () => {
  const server = await start()
  const endpoint = await listenForWebhooks(() => 500)
  const { id } = await subscribe(server, endpoint.url)
  await control(server, `POST ${path}/subscriptions/${id}/test-events`, {
    payload: { event: 'X', groupId: 'g' },
  })
  await server.service.dispatcher.runDue()
  await server.service.subscriptions.update('acme', id, { url: 'https://receiver.example/' })
  const [{ id: deliveryId }] = (await control(server, `GET ${path}/deliveries`)).body.items
  const delivery = `${path}/deliveries/${deliveryId}`

  const resent = await control(server, `POST ${delivery}/resend`, {})
  expect(resent).toMatchObject({ status: 403, body: { code: 'not_allowed' } })
  expect((await control(server, `POST ${delivery}/retry`)).status).toBe(200)
  await server.service.dispatcher.runDue()

  expect((await control(server, `GET ${delivery}`)).body).toMatchObject({ status: 'skipped', attempts: 2 })
  const [, refused] = (await control(server, `GET ${delivery}/attempts`)).body.items
  expect(refused).toMatchObject({ status: null, diagnosis: { cause: 'custom_payload' } })
  expect(refused.error).toMatch(/^not sent: .* is not a loopback address$/)
  const subscription = await server.service.subscriptions.find('acme', id)
  expect(subscription).toMatchObject({ enabled: true, failingSince: null })
})
