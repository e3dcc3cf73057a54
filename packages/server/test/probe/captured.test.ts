import { createEmptyProfile, findContradictions, MeasuredProfile } from '@wabakit/contract/profile'
import { createMock, type Mock, type MockOptions } from '@wabakit/mock'
import { createReceiver, generateSecret, standardWebhooks } from '@wabakit/webhooks'
import { expect, test } from 'vitest'
import { observeDeliveries } from '../../src/cli/profile/observe-deliveries.ts'

const times = { firstSeenAt: '2026-01-05T10:00:00.000Z', lastSeenAt: '2026-01-05T10:00:00.000Z' }
const seen = <const Value>(...values: Value[]) => ({
  values: values.map((value) => ({ value, source: 'capture' as const, count: 1, ...times })),
})
const never = { values: [{ value: 'never' as const, source: 'stated' as const }] }

type Parts = Partial<Pick<MeasuredProfile, 'deliveries' | 'events'>>

const createMeasured = (parts: Parts, options: MockOptions = {}) =>
  createMock({ seed: 7, ...options, profile: MeasuredProfile.parse({ ...createEmptyProfile(), ...parts }) })

const readBodies = (mock: Mock): Record<string, unknown>[] =>
  mock.deliveries.map(({ body }) => JSON.parse(body))

/** Observes what a mock delivers, as `capture` does. */
const observe = (mock: Mock, respond: () => number = () => 200) => {
  const observer = observeDeliveries({
    profile: createEmptyProfile(),
    registered: [['x-token', 't0ken']],
    now: mock.clock.now,
  })
  mock.deliverTo(async (request) => {
    const { pathname, search } = new URL(request.url)
    const settle = await observer.add({
      method: request.method,
      path: pathname + search,
      headers: [...request.headers],
      body: Buffer.from(await request.arrayBuffer()),
    })
    const status = respond()
    settle?.(status === 200 ? 'Success' : 'Failure')
    return new Response(null, { status })
  })
  return observer
}

const listValues = (section: object): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.entries(section).map(([name, { values }]) => [
      name,
      values.map(({ value }: { value: unknown }) => value),
    ]),
  )

test('fields have each type that was seen in turn, and are as in live if they were not seen', async () => {
  const fields = {
    customerNumber: seen('+digits', 'digits'),
    durationInSeconds: seen('string'),
    customerName: { ...seen('null'), notSeenIn: 2 },
    from: seen('+digits'),
    deviceId: never,
    chatId: { values: [], notSeenIn: 4 },
  }
  await using mock = await createMeasured({ events: { 'CALL_ENDED/WHATSAPP': fields } })
  for (let count = 0; count < 4; count++) await mock.simulateCall({ channel: 'WHATSAPP', summary: false })
  await mock.clock.advance(0)
  const ended = readBodies(mock).filter(({ event }) => event === 'CALL_ENDED')
  const signs = ended.map(({ customerNumber }) => String(customerNumber).startsWith('+'))
  expect(signs.toSorted()).toEqual([false, false, true, true])
  expect(new Set(ended.map(({ customerName }) => customerName))).toEqual(new Set([null, undefined]))
  for (const event of ended) {
    expect(event.durationInSeconds).toMatch(/^\d+$/)
    expect(event.from).toMatch(/^\+\d+$/)
    expect(event).not.toHaveProperty('deviceId')
    expect(event.chatId).toMatch(/^chat_/)
  }
  const rings = readBodies(mock).find(({ event }) => event === 'CALL_INCOMING_INITIATED')
  expect(rings).toMatchObject({ durationInSeconds: 0, deviceId: 'device_1' })
  expect(mock.profile).toBe('measured')
})

test('empty values are variants, too, unless the state of the call decides', async () => {
  const kinds = seen('string', 'empty', 'null')
  await using mock = await createMeasured({
    events: {
      'CALL_INCOMING_INITIATED/WHATSAPP': { pickedBy: kinds },
      'CALL_ENDED/WHATSAPP': { pickedBy: kinds, customerName: kinds },
      GROUP_CREATED: { groupName: kinds },
    },
  })
  for (let count = 0; count < 6; count++) {
    await mock.simulateCall({ channel: 'WHATSAPP' })
    await mock.trigger('GROUP_CREATED')
  }
  await mock.clock.advance(0)
  const list = (name: string, field: string): Set<unknown> =>
    new Set(
      readBodies(mock)
        .filter(({ event }) => event === name)
        .map(({ [field]: value }) => (typeof value === 'string' ? value !== '' : value)),
    )
  expect(list('CALL_ENDED', 'customerName')).toEqual(new Set([true, false, null]))
  expect(list('GROUP_CREATED', 'groupName')).toEqual(new Set([true, false, null]))
  // Nobody has picked up while it rings, and somebody has once it was answered.
  expect(list('CALL_INCOMING_INITIATED', 'pickedBy')).toEqual(new Set([false, null]))
  expect(list('CALL_ENDED', 'pickedBy')).toEqual(new Set([true, null]))
  const find = (pickedBy: ReturnType<typeof seen<'string' | 'empty' | 'null'>>) =>
    findContradictions({ ...createEmptyProfile(), events: { 'CALL_ENDED/PSTN': { pickedBy } } })
  expect(find(seen('string', 'empty'))).toEqual([])
  expect(find(kinds)).toEqual(['CALL_ENDED/PSTN pickedBy'])
})

test('each of two subscriptions gets every variant, and so does each event of a call', async () => {
  const deliveries = { id: { ...seen('seen'), notSeenIn: 1 }, format: seen('json', 'urlencoded') } as const
  await using mock = await createMeasured({ deliveries })
  const received = new Map<string, Set<string>>()
  const record = (endpoint: string) => async (request: Request) => {
    const name = /CALL_[A-Z_]+/.exec(await request.text())?.[0]
    const variant = `${request.headers.get('content-type')} ${request.headers.has('webhook-id')}`
    const key = `${endpoint} ${name}`
    received.set(key, (received.get(key) ?? new Set()).add(variant))
    return new Response(null, { status: 200 })
  }
  mock.deliverTo(record('first'))
  mock.subscribe({ receiver: record('second'), secret: generateSecret() })
  for (let count = 0; count < 24; count++) await mock.simulateCall({ channel: 'PSTN' })
  await mock.clock.advance('1d')
  expect(received.size).toBe(8)
  for (const [key, variants] of received) expect(variants.size, key).toBe(4)
})

test('every attempt of an event, and its record, have the same body', async () => {
  const fields = { customerPhone: seen('+digits', 'digits'), groupId: seen('string', 'null') }
  await using mock = await createMeasured({
    events: { GROUP_PARTICIPANT_JOINED: fields },
    deliveries: { repeatAfterFailure: seen({ attempt: 2, gap: '5m' }, { attempt: 3, gap: '1h' }) },
  })
  const at: number[] = []
  mock.deliverTo(() => {
    at.push(mock.clock.now())
    return new Response(null, { status: 500 })
  })
  await mock.trigger('GROUP_PARTICIPANT_JOINED')
  await mock.clock.advance('1d')
  const gaps = at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 60_000))
  expect(gaps).toEqual([5, 60])
  expect(new Set(mock.deliveries.map(({ body }) => body)).size).toBe(1)
  expect(mock.events[0]).toMatchObject({ customerPhone: readBodies(mock)[0]?.customerPhone })
})

test('an attempt that timed out is repeated as was seen, and one that failed is as in live', async () => {
  const repeats = seen({ attempt: 2, gap: '1m' }, { attempt: 2, gap: '15m' })
  await using mock = await createMeasured({ deliveries: { repeatAfterTimeout: repeats } })
  mock.deliverTo(() => new Response(null, { status: 200 }))
  for (let count = 0; count < 2; count++) {
    mock.faults.deliveries.timeOut('CALL_ENDED')
    await mock.trigger('CALL_ENDED')
    await mock.clock.advance('1d')
  }
  const at = mock.deliveries.map((delivery) => delivery.at)
  const gaps = [1, 3].map((index) => Math.round(((at[index] ?? 0) - (at[index - 1] ?? 0)) / 60_000))
  expect(gaps.toSorted((left, right) => left - right)).toEqual([1, 15])

  mock.faults.deliveries.drop('CALL_ENDED')
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance('3d')
  expect(mock.deliveries).toHaveLength(5)
})

test('a repeat after a success counts the failures before it, but not a delivery that was held back', async () => {
  await using mock = await createMeasured({
    deliveries: {
      repeatAfterFailure: seen({ attempt: 2, gap: '5m' }),
      repeatAfterSuccess: seen({ attempt: 3, gap: '1h' }),
    },
  })
  const statuses = [500]
  const at: number[] = []
  mock.deliverTo(() => {
    at.push(mock.clock.now())
    return new Response(null, { status: statuses.shift() ?? 200 })
  })
  mock.faults.deliveries.delay('CALL_ENDED', { by: '1s' })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance('1d')
  const gaps = at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 60_000))
  expect(gaps).toEqual([5, 60])
})

test('signed webhooks verify, and credentials are sent only as often as they were seen', async () => {
  await using mock = await createMeasured(
    {
      deliveries: { signature: seen('seen'), registeredHeaders: { ...seen('as-registered'), notSeenIn: 1 } },
    },
    { webhookAuth: { header: 'x-token', value: 't0ken' } },
  )
  const handled: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  mock.deliverTo(receiver.on('GROUP_CREATED', ({ groupId }) => void handled.push(String(groupId))))
  for (let count = 0; count < 4; count++) await mock.trigger('GROUP_CREATED')
  await mock.clock.advance(0)
  expect(handled).toHaveLength(4)
  expect(mock.deliveries.filter(({ headers }) => headers.has('x-token'))).toHaveLength(2)
})

test('a registered Authorization header is changed or left out as was seen, unless the test says otherwise', async () => {
  const play = async (deliveries: MeasuredProfile['deliveries'], options: MockOptions = {}) => {
    await using mock = await createMeasured({ deliveries }, { webhookAuth: { token: 't0ken' }, ...options })
    for (let count = 0; count < 4; count++) await mock.trigger('GROUP_CREATED')
    await mock.clock.advance(0)
    return new Set(mock.deliveries.map(({ headers }) => headers.get('authorization')))
  }
  const bearer = seen('Bearer')
  const own = 'Bearer t0ken'
  expect(await play({ registeredHeaders: seen('changed') })).toEqual(new Set(['Bearer not-registered']))
  // What was counted twice, as a registered header and as credentials, is one observation.
  const some = { ...bearer, notSeenIn: 1 }
  const registered = { ...seen('as-registered'), notSeenIn: 1 }
  expect(await play({ registeredHeaders: registered, authorization: some })).toEqual(new Set([own, null]))
  expect(await play({ authorization: some })).toEqual(new Set([own, null]))
  expect(await play({ authorization: never })).toEqual(new Set([null]))
  expect(await play({ authorization: seen('other') })).toEqual(new Set(['not-registered']))
  expect(await play({ registeredHeaders: never, authorization: bearer })).toEqual(
    new Set(['Bearer not-registered']),
  )
  const keep = { live: { dropCredentials: false } }
  expect(await play({ registeredHeaders: never, authorization: never }, keep)).toEqual(new Set([own]))
  const drop = { live: { dropCredentials: true } }
  expect(await play({ registeredHeaders: registered, authorization: bearer }, drop)).toEqual(new Set([null]))
})

test.each([
  ['forms', { method: seen('POST'), format: seen('urlencoded', 'multipart') }],
  ['a query', { method: seen('GET'), format: seen('query') }],
  ['PUT and POST', { method: seen('PUT', 'POST'), format: seen('json') }],
  ['names in three places', { groupEventName: seen('event', 'eventType', 'none') }],
  ['ids and signatures', { id: seen('seen'), signature: { ...seen('seen'), notSeenIn: 1 } }],
  ['registered headers', { registeredHeaders: seen('as-registered') }],
  ['other values of registered headers', { registeredHeaders: seen('as-registered', 'changed') }],
  ['no registered headers', { registeredHeaders: never }],
  ['credentials of its own', { authorization: { ...seen('Bearer', 'Basic', 'other'), notSeenIn: 1 } }],
  ['its credentials alone', { authorization: seen('Bearer'), registeredHeaders: never }],
  ['repeats of a success', { repeatAfterSuccess: { ...seen({ attempt: 2, gap: '30s' }), notSeenIn: 2 } }],
  [
    'repeats of a failure',
    { repeatAfterFailure: seen({ attempt: 2, gap: '0s' }, { attempt: 3, gap: '15m' }) },
  ],
  [
    'order',
    { order: { ...seen({ first: 'CALL_AI_SUMMARY', second: 'CALL_ENDED' } as const), notSeenIn: 1 } },
  ],
])('capture sees what the mock plays: %s', async (name, deliveries) => {
  await using mock = await createMeasured(
    { deliveries },
    { webhookAuth: { header: 'x-token', value: 't0ken' } },
  )
  let count = 0
  // Two failures, so that there are two repeats.
  const observer = observe(mock, () => (name.endsWith('failure') && count++ % 3 < 2 ? 500 : 200))
  for (let call = 0; call < 3; call++) {
    await mock.simulateCall({ channel: 'PSTN' })
    await mock.trigger('GROUP_CREATED')
    await mock.clock.advance('1d')
  }
  const shown = observer.end()
  MeasuredProfile.parse(shown)
  // What live sends is seen wherever nothing else was measured.
  const live = {
    method: ['POST'],
    format: ['json'],
    groupEventName: ['event'],
    registeredHeaders: ['as-registered'],
  }
  const played = { ...live, ...listValues(deliveries) }
  const toSets = (lists: Record<string, unknown[]>) =>
    Object.entries(lists).flatMap(([question, values]) => {
      const known = values.filter((value) => value !== 'never')
      return known.length > 0 ? [[question, new Set(known)]] : []
    })
  expect(Object.fromEntries(toSets(listValues(shown.deliveries)))).toEqual(Object.fromEntries(toSets(played)))
  const written = JSON.stringify(shown)
  for (const secret of [
    mock.wabaNumber.slice(1),
    mock.pstnNumber.slice(1),
    'call_',
    'grp_',
    'Order',
    't0ken',
  ])
    expect(written).not.toContain(secret)
})

test('what live sends shows nothing else, and a body that is no event shows nothing', async () => {
  await using mock = await createMock({ profile: 'live', webhookAuth: { header: 'x-token', value: 't0ken' } })
  const observer = observe(mock)
  await mock.simulateCall({ channel: 'WHATSAPP' })
  await mock.trigger({ tagId: 'Ada' })
  await mock.clock.advance('1d')
  const { deliveries, events } = observer.end()
  expect(deliveries).toMatchObject({
    id: { values: [], notSeenIn: 4 },
    registeredHeaders: { values: [{ value: 'as-registered', count: 4 }] },
    method: { values: [{ value: 'POST', count: 4 }] },
    order: { values: [], notSeenIn: 1 },
    repeatAfterSuccess: { values: [], notSeenIn: 4 },
  })
  expect(listValues(events['CALL_ENDED/WHATSAPP'] ?? {})).toMatchObject({
    callId: ['string'],
    customerNumber: ['digits'],
    durationInSeconds: ['number'],
    failedReason: ['empty'],
  })
  expect(Object.keys(events).toSorted()).toEqual([
    'CALL_ACCEPTED/WHATSAPP',
    'CALL_AI_SUMMARY/WHATSAPP',
    'CALL_ENDED/WHATSAPP',
    'CALL_INCOMING_INITIATED/WHATSAPP',
  ])
})

test('an event that is repeated without an end leaves a profile that can be read', async () => {
  const observer = observeDeliveries({ profile: createEmptyProfile(), registered: [], now: Date.now })
  const body = Buffer.from('{"event":"CALL_ENDED","callId":"call_1"}')
  const request = { method: 'POST', path: '/', headers: [['webhook-id', 'msg_1']] as const, body }
  for (let attempt = 1; attempt <= 60; attempt++) (await observer.add(request))?.('Failure')
  const { deliveries } = MeasuredProfile.parse(observer.end())
  expect(deliveries.repeatAfterFailure?.values.at(-1)?.value).toEqual({ attempt: 50, gap: '0s' })
})
