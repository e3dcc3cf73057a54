import { createMock, type Mock, type MockOptions } from '@wabakit/mock'
import {
  basicAuth,
  bearerAuth,
  createReceiver,
  memoryDedupe,
  staticHeader,
  unsigned,
  urlToken,
} from '@wabakit/webhooks'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

const createLive = (options: Omit<MockOptions, 'profile'> = {}) => createMock({ ...options, profile: 'live' })

const nineteen =
  'event callId chatMessageId chatId wabaNumber customerNumber customerName customerId callDirection callStatus failedReason durationInSeconds callStartedAt callEndedAt pickedBy rejectedBy endedBy recordingUrl deviceId'
    .split(' ')
    .toSorted()

const readBodies = (mock: Mock): Record<string, unknown>[] =>
  mock.deliveries.map(({ body }) => JSON.parse(body))

const request = (mock: Mock, path: string, init?: RequestInit) => mock.fetch(mock.url + path, init)
const summaryPath = (callId: string) => `/v1/call/ai-summary?callId=${callId}`

const credentials = 'wabakit:p@ss wörd'
const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(credentials)))
test.each([
  ['a static header', { header: 'X-Token', value: 't0ken' }, 'x-token', 't0ken'],
  ['Bearer', { token: 't0ken' }, 'authorization', 'Bearer t0ken'],
  ['Basic', { username: 'wabakit', password: 'p@ss wörd' }, 'authorization', `Basic ${encoded}`],
  ['Basic, raw', { username: 'u', password: 'p', encoded: false }, 'authorization', 'Basic u:p'],
])('webhooks carry what was registered: %s', async (_, webhookAuth, name, value) => {
  for (const profile of ['live', 'reference'] as const) {
    await using mock = await createMock({ profile, webhookAuth })
    await mock.trigger('CALL_ENDED')
    await mock.subscribe({ url: 'http://127.0.0.1:9/', headers: { 'x-own': '1' }, channel: 'PSTN' })
    await mock.trigger('CALL_ENDED')
    await mock.clock.advance(0)
    const sent = mock.deliveries.map(({ to, headers }) => [to === 'collector', headers.get(name)])
    expect(sent).toEqual([
      [true, value],
      [true, value],
      [false, null],
    ])
    expect(mock.deliveries[0]?.headers.has('webhook-signature')).toBe(profile === 'reference')
  }
})

test('receivers with each way of authentication accept the webhooks, and reject tampered ones', async () => {
  const ways = [
    [{ header: 'x-token', value: 't0ken' }, staticHeader({ header: 'x-token', value: 't0ken' })],
    [{ token: 't0ken' }, bearerAuth({ token: 't0ken' })],
    [{ username: 'u', password: 'p' }, basicAuth({ username: 'u', password: 'p' })],
    [{ urlToken: t0ken }, urlToken({ token: t0ken })],
  ] as const
  for (const [webhookAuth, verify] of ways) {
    await using mock = await createLive({ webhookAuth })
    mock.deliverTo(
      createReceiver({ verify })
        .onError(() => {})
        .on('CALL_ENDED', () => {}),
    )
    mock.faults.deliveries.tamper('CALL_ENDED', { part: 'signature' })
    mock.faults.deliveries.tamper('CALL_ENDED', { part: 'missing_header' })
    for (let count = 0; count < 3; count++) await mock.trigger('CALL_ENDED')
    await mock.clock.advance('1h')
    expect(mock.deliveries.map(({ status }) => status)).toEqual([401, 401, 200])
  }
})

const t0ken = 'a token & 16 bytes+'

test.each([
  ['token', { urlToken: t0ken }],
  ['key', { urlToken: t0ken, parameter: 'key' }],
])(
  'the URL of each webhook has what was registered, percent-encoded once: %s',
  async (parameter, webhookAuth) => {
    for (const profile of ['live', 'reference'] as const) {
      await using mock = await createMock({
        profile,
        webhookAuth,
        ...(profile === 'live' && { live: { dropCredentials: true } }),
      })
      const urls: string[] = []
      const receiver = createReceiver({ verify: urlToken({ token: t0ken, parameter }) }).onError(() => {})
      const handle = (request: Request) => {
        urls.push(request.url)
        return receiver.handle(request)
      }
      mock.deliverTo(handle, { url: 'https://receiver.example/hooks?tenant=a%20b' })
      await mock.subscribe({ receiver: handle, channel: 'PSTN' })
      await mock.subscribe({ receiver: handle, channel: 'PSTN', headers: { 'x-own': '1' } })
      await mock.trigger('CALL_ENDED', { channel: 'PSTN' })
      await mock.clock.advance(0)
      const pair = `${parameter}=a%20token%20%26%2016%20bytes%2B`
      expect(urls.map((url) => url.replace(/receiver-\d/, 'receiver-n')).toSorted()).toEqual([
        'https://receiver-n.invalid/webhooks',
        `https://receiver-n.invalid/webhooks?${pair}`,
        `https://receiver.example/hooks?tenant=a%20b&${pair}`,
      ])
      expect(mock.deliveries.map(({ status }) => status).toSorted()).toEqual([200, 200, 401])
    }
  },
)

test('a URL that has the parameter is used as it is', async () => {
  await using mock = await createLive({ webhookAuth: { urlToken: 'other' } })
  const urls: string[] = []
  const handle = ({ url }: Request) => {
    urls.push(url)
    return new Response()
  }
  mock.deliverTo(handle, { url: 'https://receiver.example/hooks?t%6Fken=its+own' })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  expect(urls).toEqual(['https://receiver.example/hooks?t%6Fken=its+own'])
})

test('every event of a WhatsApp call has the nineteen published fields, with "" and 0', async () => {
  await using mock = await createLive()
  const { callId } = await mock.simulateCall({ channel: 'WHATSAPP', summary: false, durationInSeconds: 42 })
  await mock.simulateCall({ channel: 'WHATSAPP', direction: 'OUTGOING', summary: false })
  await mock.clock.advance(0)
  const bodies = readBodies(mock)
  for (const body of bodies) expect(Object.keys(body).toSorted()).toEqual(nineteen)
  const [rings, accepted, ended] = bodies.filter((body) => body.callId === callId)
  const placed = bodies.find((body) => body.event === 'CALL_OUTGOING_INITIATED')
  expect(rings).toMatchObject({
    event: 'CALL_INCOMING_INITIATED',
    callId,
    chatId: '',
    pickedBy: '',
    callStartedAt: '',
  })
  expect(rings).toMatchObject({ callStatus: 'INITIATED', durationInSeconds: 0, callEndedAt: '', endedBy: '' })
  expect(String(rings?.wabaNumber)).toBe(mock.wabaNumber.slice(1))
  expect(accepted).toMatchObject({ callStatus: 'IN_PROGRESS', callEndedAt: '', recordingUrl: '' })
  expect(accepted?.pickedBy).toBe(ended?.pickedBy)
  expect(ended).toMatchObject({ callStatus: 'END', durationInSeconds: 42, endedBy: ended?.customerName })
  expect(ended?.recordingUrl).toMatch(/^https:.*\.mp3$/)
  expect(placed?.pickedBy).not.toBe('')
})

test('a WhatsApp call names the party that picked it up, rejected it or ended it, by its direction', async () => {
  // Names are drawn, so that a customer may have the name of an agent.
  await using mock = await createLive({ seed: 1 })
  const play = async (direction: 'INCOMING' | 'OUTGOING', outcome: 'answered' | 'missed' | 'rejected') => {
    const callId = `${direction}-${outcome}`
    await mock.simulateCall({ channel: 'WHATSAPP', callId, direction, outcome, summary: false })
    await mock.clock.advance(0)
    const bodies = readBodies(mock).filter((body) => body.callId === callId)
    const last = bodies.at(-1)
    // Every event of a call names the same customer.
    expect(bodies.map((body) => body.customerName)).toEqual(bodies.map(() => last?.customerName))
    const parties = [last?.pickedBy, last?.rejectedBy, last?.endedBy].map((name) => {
      if (name === '') return ''
      return name === last?.customerName ? 'customer' : 'agent'
    })
    return [last?.event, ...parties, last?.recordingUrl !== '']
  }
  expect(await play('INCOMING', 'answered')).toEqual(['CALL_ENDED', 'agent', '', 'customer', true])
  expect(await play('OUTGOING', 'answered')).toEqual(['CALL_ENDED', 'agent', '', 'agent', true])
  expect(await play('INCOMING', 'rejected')).toEqual(['CALL_REJECTED', '', 'agent', '', false])
  expect(await play('OUTGOING', 'rejected')).toEqual(['CALL_REJECTED', 'agent', 'customer', '', false])
  expect(await play('INCOMING', 'missed')).toEqual(['CALL_MISSED', '', '', '', false])
  expect(await play('OUTGOING', 'missed')).toEqual(['CALL_ENDED', 'agent', '', 'agent', false])
})

test('a missed call says about its caller what the test has set', async () => {
  await using mock = await createLive()
  const set = [
    { isNewCaller: true, isChatAssigned: false },
    { isNewCaller: false, isChatAssigned: true },
  ]
  for (const fields of set) await mock.trigger('CALL_MISSED', fields)
  await mock.clock.advance(0)
  expect(readBodies(mock)).toMatchObject(set)
})

test('PSTN events add their channel and its number; a summary has the fields of the specification', async () => {
  await using mock = await createLive()
  await mock.simulateCall({ callType: 'AI_BOT' })
  await mock.clock.advance(0)
  const [rings, , , summary] = readBodies(mock)
  expect(Object.keys(rings ?? {}).toSorted()).toEqual(
    [...nineteen, 'channel', 'channelNumber', 'from'].toSorted(),
  )
  expect(rings).toMatchObject({ channel: 'PSTN', wabaNumber: '', from: mock.pstnNumber })
  expect(summary).not.toHaveProperty('agentNumber')
  expect(summary).toMatchObject({
    to: expect.any(String),
    summary: { recap: expect.any(String) },
  })
  const event = await mock.waitForEvent('CALL_AI_SUMMARY', { callType: 'AI_BOT' })
  expect(event.agentNumber).toBeUndefined()
})

test('agents who do not answer are reported unchanged, and one event ends a call', async () => {
  await using mock = await createLive()
  await mock.simulateCall({ channel: 'WHATSAPP', notPicked: 2, outcome: 'missed' })
  await mock.simulateCall({ channel: 'WHATSAPP', outcome: 'rejected' })
  await mock.simulateCall({ outcome: 'rejected' })
  await mock.clock.advance(0)
  const bodies = readBodies(mock)
  expect(bodies.map(({ event, callStatus }) => `${event} ${callStatus}`).toSorted()).toEqual([
    'CALL_INCOMING_INITIATED INITIATED',
    'CALL_INCOMING_INITIATED INITIATED',
    'CALL_INCOMING_INITIATED INITIATED',
    'CALL_MISSED MISSED',
    'CALL_MISSED MISSED',
    'CALL_NOT_PICKED INITIATED',
    'CALL_NOT_PICKED INITIATED',
    'CALL_REJECTED REJECT',
  ])
  const [first, second] = mock.deliveries.filter(({ name }) => name === 'CALL_NOT_PICKED')
  expect(first?.body).toBe(second?.body)
  for (const { event, callEndedAt } of bodies)
    expect(callEndedAt !== '').toBe(/MISSED|REJECTED/.test(String(event)))
})

test('group events have names or not, and null fields on request', async () => {
  const play = async (live: MockOptions['live']) => {
    await using mock = await createLive({ live })
    const { groupId } = await mock
      .client()
      .groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    await mock.simulateParticipant('joined', { groupId, phone: '+12025550143' })
    await mock.clock.advance(0)
    await mock.waitForDelivery('GROUP_PARTICIPANT_JOINED')
    return readBodies(mock)
  }
  const [created, joined] = await play({})
  expect(created).toMatchObject({ event: 'GROUP_CREATED', orgId: 'org_live', integrationId: 'int_live' })
  expect(joined).toMatchObject({ event: 'GROUP_PARTICIPANT_JOINED', customerPhone: '+12025550143' })

  const older = await play({ groupEventNames: false, nullFields: ['groupId', 'inviteLink'] })
  expect(older[0]).toEqual({
    groupId: null,
    groupName: 'Order 1042',
    inviteLink: null,
    groupCreatedAt: expect.any(String),
  })
  expect(older[1]).toMatchObject({ groupId: null, customerPhone: '12025550143' })
  expect(older[1]).not.toHaveProperty('event')
})

test('triggered events without a group id do not wait for each other', async () => {
  await using mock = await createLive()
  mock.deliverTo(({ headers }) => new Response(null, { status: headers.has('x') ? 200 : 500 }))
  await mock.trigger({ event: 'GROUP_CREATED', groupId: null, groupName: 'First' })
  await mock.trigger({ event: 'GROUP_CREATED', groupId: null, groupName: 'Second' })
  const { items } = await mock.server.events.list(mock.organizationId, { limit: 9 })
  expect(new Set(items.map(({ subject }) => subject)).size).toBe(2)
  expect(JSON.parse(items[0]?.payload ?? '')).toEqual({
    event: 'GROUP_CREATED',
    groupId: null,
    groupName: 'First',
  })
})

test('the path determines the header of the key, and a wrong key is 403 at the summaries', async () => {
  await using mock = await createLive()
  const { callId } = await mock.simulateCall()
  const fetchSummary = async (headers: Record<string, string>) => {
    const response = await request(mock, summaryPath(callId), { headers })
    return [response.status, response.status === 200 ? 'record' : await response.json()]
  }
  const missing = { statusCode: 401, message: 'Unauthorized' }
  const wrong = { statusCode: 403, message: 'Forbidden resource', error: 'Forbidden' }
  expect(await fetchSummary({ authorization: mock.apiKey })).toEqual([200, 'record'])
  expect(await fetchSummary({ 'x-public-api-key': mock.apiKey })).toEqual([401, missing])
  expect(await fetchSummary({})).toEqual([401, missing])
  expect(await fetchSummary({ authorization: `Bearer ${mock.apiKey}` })).toEqual([403, wrong])
  expect(await fetchSummary({ authorization: 'other', 'x-public-api-key': mock.apiKey })).toEqual([
    403,
    wrong,
  ])

  const create = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ wabaNumber: mock.wabaNumber, subject: 'Order 1042', groupId: 'order-1042' })
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
    const response = await request(mock, '/whatsapp/wa-group/create', init)
    expect([...response.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([])
    return [response.status, await response.json()]
  }
  expect(await create({ authorization: mock.apiKey })).toEqual([401, missing])
  expect(await create({ 'x-public-api-key': 'wrong', authorization: mock.apiKey })).toEqual([401, missing])
  expect(await create({ 'x-public-api-key': mock.apiKey })).toEqual([
    200,
    { success: true, groupId: 'order-1042', wabaNumber: mock.wabaNumber },
  ])
})

test('a WhatsApp call and an organization without PSTN calling have no summary, and errors have no code', async () => {
  await using mock = await createLive()
  const { callId } = await mock.simulateCall({ channel: 'WHATSAPP' })
  const headers = { authorization: mock.apiKey }
  const read = async (path: string, init: RequestInit = { headers }) => {
    const response = await request(mock, path, init)
    return [response.status, await response.json()]
  }
  expect(await read(summaryPath(callId))).toEqual([
    404,
    { statusCode: 404, message: 'No such call', error: 'Not Found' },
  ])
  const { callId: pending } = await mock.simulateCall({ summary: { after: '1m' } })
  const early = await request(mock, summaryPath(pending), { headers })
  expect([early.status, await early.json(), early.headers.get('retry-after')]).toEqual([202, {}, null])
  expect(await read('/v1/call/ai-summary')).toEqual([
    400,
    { statusCode: 400, message: [expect.stringContaining('callId')], error: 'Bad Request' },
  ])
  expect(await read('/v2/other')).toEqual([
    404,
    { statusCode: 404, message: 'Cannot GET /v2/other', error: 'Not Found' },
  ])
  expect(await read(summaryPath(pending), { headers, method: 'DELETE' })).toEqual([
    404,
    { statusCode: 404, message: 'Cannot DELETE /v1/call/ai-summary', error: 'Not Found' },
  ])
  expect(mock.requests.map(({ verdict }) => verdict)).toEqual([
    'summary_not_found',
    'summary_pending',
    'invalid_call_id',
    'route_not_found',
    'method_not_allowed',
  ])

  const tenant = mock.tenant({ live: { pstnCalling: false } })
  const call = await tenant.simulateCall()
  await expect(tenant.client().calls.getSummary(call.callId)).rejects.toMatchObject({
    name: 'PermissionDeniedError',
  })
  expect(tenant.requests.map(({ verdict }) => verdict)).toEqual(['summary_not_found'])
})

test('a WhatsApp call that can have no summary gets the same 404 as any other', async () => {
  await using mock = await createLive()
  const fetchSummary = async (channel: 'PSTN' | 'WHATSAPP', outcome: 'missed' | 'no_recording') => {
    const { callId } = await mock.simulateCall({ channel, outcome })
    const response = await request(mock, summaryPath(callId), { headers: { authorization: mock.apiKey } })
    return [response.status, await response.json()]
  }
  const notFound = [404, { statusCode: 404, message: 'No such call', error: 'Not Found' }]
  expect(await fetchSummary('WHATSAPP', 'missed')).toEqual(notFound)
  expect(await fetchSummary('WHATSAPP', 'no_recording')).toEqual(notFound)
  expect((await fetchSummary('PSTN', 'missed'))[0]).toBe(422)
})

test('a failed delivery is not repeated after a status, and once after a time-out if that is switched on', async () => {
  const play = async (live: MockOptions['live']) => {
    await using mock = await createLive({ live })
    const receiver = createReceiver({ verify: unsigned(), dedupe: memoryDedupe() })
    mock.deliverTo(receiver.on('CALL_ENDED', () => {}))
    mock.faults.deliveries.timeOut('CALL_ENDED', { times: 'always' })
    await mock.trigger('CALL_ENDED')
    await mock.clock.advance('30d')
    return mock.deliveries.map(({ status, outcome, faults }) => [status, outcome, ...faults])
  }
  expect(await play({})).toEqual([[undefined, 'handled', 'timeOut']])
  expect(await play({ retryOnTimeout: true })).toEqual([
    [undefined, 'handled', 'timeOut'],
    [undefined, 'duplicate', 'timeOut'],
  ])

  await using mock = await createLive({ live: { retryOnTimeout: true } })
  const statuses = [500, 429, 409, 503]
  mock.deliverTo(
    () => new Response(null, { status: statuses.shift() ?? 200, headers: { 'retry-after': '1' } }),
  )
  for (let count = 0; count < 4; count++) await mock.trigger('CALL_ENDED')
  mock.faults.deliveries.drop('CALL_MISSED')
  await mock.trigger('CALL_MISSED')
  await mock.clock.advance('30d')
  expect(mock.deliveries.map(({ status }) => status)).toEqual([500, 429, 409, 503, undefined])
})

test('WABAKIT_PROFILE runs a suite with the other profile, and options of the wrong one are refused', async () => {
  vi.stubEnv('WABAKIT_PROFILE', 'live')
  await using live = await createMock()
  expect(live.profile).toBe('live')
  await using reference = await createMock({ profile: 'reference' })
  expect(reference.profile).toBe('reference')
  vi.stubEnv('WABAKIT_PROFILE', 'alive')
  await expect(createMock()).rejects.toThrow(
    'createMock: WABAKIT_PROFILE: "alive" is unknown. Did you mean "live"?',
  )
  vi.stubEnv('WABAKIT_PROFILE', undefined)
  await expect(createMock({ live: {} })).rejects.toThrow('these settings need { profile: "live" }')
  await expect(createLive({ authHeader: 'x-key' })).rejects.toThrow(
    'the path determines the header of the key',
  )
  await expect(createLive({ webhookAuth: {} as never })).rejects.toThrow(
    /webhookAuth must be \{ urlToken, parameter \}, \{ header, value \}/,
  )
})

test('a fault that tampers with the timestamp never applies to a delivery without one', async () => {
  await using mock = await createMock({ profile: 'live' })
  mock.faults.deliveries.tamper('GROUP_CREATED', { part: 'timestamp' })
  await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
  await mock.waitForDelivery('GROUP_CREATED')
  expect(() => mock.faults.assertUsed()).toThrow('tamper')
  mock.faults.clear()
})

test('a call without a recording has no link to one', async () => {
  await using mock = await createLive()
  for (const channel of ['PSTN', 'WHATSAPP'] as const) {
    const { callId } = await mock.simulateCall({ channel, outcome: 'no_recording' })
    expect((await mock.waitForEvent('CALL_ENDED', { callId })).recordingUrl).toBe('')
    await mock.clock.advance(0)
    const ended = readBodies(mock).find((body) => body.callId === callId && body.event === 'CALL_ENDED')
    expect(ended?.recordingUrl).toBe('')
  }
  const { callId } = await mock.simulateCall({ outcome: 'nothing_said' })
  expect((await mock.waitForEvent('CALL_ENDED', { callId })).recordingUrl).not.toBe('')
})

test('a call can be fetched 30 times a minute', async () => {
  await using mock = await createLive()
  const { callId } = await mock.simulateCall({ summary: {} })
  const other = await mock.simulateCall({ summary: {} })
  const ask = async (id: string) =>
    request(mock, summaryPath(id), { headers: { authorization: mock.apiKey } })
  for (let count = 0; count < 30; count++) expect((await ask(callId)).status).toBe(200)
  await mock.clock.advance('20s')
  const limited = await ask(callId)
  expect([limited.status, limited.headers.get('retry-after'), await limited.json()]).toEqual([
    429,
    '40',
    { statusCode: 429, message: expect.any(String), error: 'Too Many Requests' },
  ])
  expect(mock.requests.at(-1)?.verdict).toBe('rate_limited')
  expect((await ask(other.callId)).status).toBe(200)
  await mock.clock.advance('40s')
  expect((await ask(callId)).status).toBe(200)
})

test('a summary that can never exist has the published phrase', async () => {
  await using mock = await createLive()
  const { callId } = await mock.simulateCall({ outcome: 'missed' })
  const response = await request(mock, summaryPath(callId), { headers: { authorization: mock.apiKey } })
  expect([response.status, await response.json()]).toMatchObject([422, { error: 'Unprocessable Entity' }])
})

test('credentials of a registration are accepted and dropped, except for those in the URL', async () => {
  await using mock = await createLive({ webhookAuth: { token: 't0ken' }, live: { dropCredentials: true } })
  const seen: Request[] = []
  const receiver = (received: Request) => {
    seen.push(received)
    return new Response()
  }
  await mock.subscribe({ receiver, authorization: { token: 'a-token' }, headers: { 'x-own': '1' } })
  mock.deliverTo(receiver, { url: 'https://receiver.example/hooks?token=t0ken' })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  expect(seen.map(({ headers }) => [...headers.keys()])).toEqual([['content-type'], ['content-type']])
  expect(seen.map(({ url }) => url)).toContain('https://receiver.example/hooks?token=t0ken')
})

test('a URL gets each event once for each time that it was registered', async () => {
  await using mock = await createLive({ live: { registrations: 3 } })
  const names: string[] = []
  mock.deliverTo(async (received) => {
    names.push((await received.json()).event)
    return new Response()
  })
  await mock.trigger('GROUP_CREATED')
  await mock.trigger('CALL_ENDED', { channel: 'PSTN' })
  await mock.clock.advance(0)
  expect(names.toSorted()).toEqual([...Array(3).fill('CALL_ENDED'), ...Array(3).fill('GROUP_CREATED')])
  await expect(createLive({ live: { registrations: 11 } })).rejects.toThrow('registrations')
})
