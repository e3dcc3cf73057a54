import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { createMock, type Mock, MockUsageError } from '@wabakit/mock'
import { createReceiver, generateSecret, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenOnFreePort } from '../../server/test/listen-on-free-port.ts'

const serve = async (receiver: ReturnType<typeof createReceiver>) => {
  const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

test("delivers over HTTP to a URL, signed with its subscription's secret", async () => {
  await using mock = await createMock()
  const received: string[] = []
  const secret = generateSecret()
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
  await using endpoint = await serve(receiver.onAny(({ event }) => received.push(event)))
  const subscription = await mock.subscribe({
    url: endpoint.url,
    secret,
    events: ['CALL_ENDED', 'CALL_AI_SUMMARY'],
  })
  expect(subscription.secret).toBe(secret)
  mock.faults.deliveries.tamper('CALL_ENDED', { part: 'signature' })
  const { callId } = await mock.simulateCall({ channel: 'WHATSAPP' })
  await mock.clock.advance('5s')
  const { to } = await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  expect(to).toBe(endpoint.url)
  expect(received).toEqual(['CALL_ENDED', 'CALL_AI_SUMMARY'])
  await subscription.stop()
  await subscription.stop()
  for (const channel of ['PSTN', 'WHATSAPP'] as const) await mock.simulateCall({ channel })
  await mock.clock.advance(0)
  expect(received).toHaveLength(2)
})

/** Starts an endpoint that sends `response`, byte by byte as it is, and returns its URL. */
const serveRaw = async (response: string): Promise<string> => {
  const server = createNetServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(response))
  })
  return `${await listenOnFreePort(server)}/webhooks`
}

test.each([
  ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok', 202, 'ok'],
  ['HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
  ['HTTP/1.1 999 Unknown\r\ncontent-length: 0\r\n\r\n', undefined, ''],
  ['SSH-2.0\r\n', undefined, ''],
  ['HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n', 302, ''],
  ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok', undefined, ''],
  ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', undefined, ''],
])('records the response of an endpoint that sends %j', async (response, status, responseBody) => {
  await using mock = await createMock()
  await mock.subscribe({ url: await serveRaw(response), events: ['CALL_ENDED'] })
  await mock.simulateCall({ channel: 'WHATSAPP' })
  await expect
    .poll(() => mock.deliveries.filter(({ to }) => to !== 'collector')[0])
    .toMatchObject({ status, responseBody })
})

test('delivers through a fetch that a test has replaced', async () => {
  await using mock = await createMock()
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('fetch', async () => new Response('replaced', { status: 418 }))
  await mock.subscribe({ url: 'https://app.example/webhooks', events: ['CALL_ENDED'] })
  await mock.simulateCall({ channel: 'WHATSAPP' })
  await expect
    .poll(() => mock.deliveries.filter(({ to }) => to !== 'collector')[0])
    .toMatchObject({ status: 418 })
})

test('a recorded request and a recorded attempt have every field', async () => {
  await using mock = await createMock()
  const receiver = createReceiver({
    verify: standardWebhooks({ secrets: [mock.secret] }),
    dedupe: memoryDedupe(),
  })
  mock.deliverTo(receiver.on(['CALL_ENDED', 'CALL_MISSED'], () => {}))
  mock.faults.deliveries.duplicate('CALL_ENDED')
  mock.faults.deliveries.drop('CALL_MISSED')
  const note = { type: 'note' }
  await mock.fetch(`${mock.url}/v1/call/ai-summary?callId=none`, { headers: { authorization: mock.apiKey } })
  for (const name of ['CALL_ENDED', 'CALL_MISSED'] as const) await mock.trigger(name, { callId: name })
  await mock.trigger(note)
  await mock.clock.advance(0)

  const at = mock.clock.now()
  const headers = expect.any(Headers)
  expect(mock.requests).toEqual([
    {
      endpoint: 'calls.getSummary',
      method: 'GET',
      path: '/v1/call/ai-summary',
      query: { callId: 'none' },
      headers,
      body: undefined,
      at,
      status: 404,
      verdict: 'summary_not_found',
      fault: undefined,
    },
  ])
  expect(mock.events).toHaveLength(2)
  const [ended, missed] = mock.events
  const attempt = { to: 'receiver', attempt: 1, at, headers, status: 200, responseBody: '', error: undefined }
  const accepted = { ...attempt, acknowledged: true, faults: [] }
  const first = mock.deliveries.find(({ name }) => name === 'CALL_ENDED')
  const ofEnded = {
    ...accepted,
    id: first?.id,
    name: 'CALL_ENDED',
    event: ended,
    body: JSON.stringify(ended),
  }
  const ofMissed = { name: 'CALL_MISSED', event: missed, body: JSON.stringify(missed), faults: ['drop'] }
  const lost = { status: undefined, error: 'dropped by faults.deliveries.drop', acknowledged: false }
  const id = expect.any(String)
  expect(mock.deliveries.toSorted((a, b) => b.name.localeCompare(a.name))).toEqual([
    { ...attempt, ...ofMissed, ...lost, id, outcome: undefined },
    { ...ofEnded, outcome: 'handled' },
    { ...ofEnded, outcome: 'duplicate', attempt: 2, faults: ['duplicate'] },
    { ...accepted, id, name: '', event: undefined, body: JSON.stringify(note), outcome: 'ignored' },
  ])
})

test('a target that routes by path sees its own URL', async () => {
  await using mock = await createMock()
  const urls = new Set<string>()
  const stop = mock.deliverTo(
    (request) => {
      urls.add(`${request.method} ${request.url}`)
      return new Response(null, { status: 202 })
    },
    { url: 'https://app.test/hooks/wabakit' },
  )
  await mock.simulateCall()
  await mock.clock.advance(0)
  expect([...urls]).toEqual(['POST https://app.test/hooks/wabakit'])
  stop()
  await mock.simulateCall({ callId: 'collected' })
  expect((await mock.waitForDelivery('CALL_ENDED', { callId: 'collected' })).to).toBe('collector')
})

test('a sender that never retries makes one attempt, whether it fails, is deferred or is lost', async () => {
  await using mock = await createMock()
  const responses = [500, 409, 200]
  mock.deliverTo(
    () => new Response(null, { status: responses.shift() ?? 200, headers: { 'retry-after': '1' } }),
  )
  const remove = mock.faults.deliveries.neverRetry()
  mock.faults.deliveries.drop('CALL_AI_SUMMARY')
  await mock.simulateCall({ callId: 'call-1' })
  await mock.clock.advance('1d')
  const attempts = () => mock.deliveries.map(({ name, status, attempt }) => [name, status, attempt])
  expect(attempts()).toEqual([
    ['CALL_INCOMING_INITIATED', 500, 1],
    ['CALL_ACCEPTED', 409, 1],
    ['CALL_ENDED', 200, 1],
    ['CALL_AI_SUMMARY', undefined, 1],
  ])

  remove()
  responses.push(500)
  await mock.simulateCall({ callId: 'call-2', summary: false })
  await mock.clock.advance('1m')
  expect(attempts().slice(4, 6)).toEqual([
    ['CALL_INCOMING_INITIATED', 500, 1],
    ['CALL_INCOMING_INITIATED', 200, 2],
  ])
})

test.each(['reference', 'live'] as const)(
  'sends brackets by the thousands with the profile %s',
  async (profile) => {
    await using mock = await createMock({ profile })
    const bodies: string[] = []
    mock.deliverTo(async (request) => {
      bodies.push(await request.text())
      return new Response()
    })
    const deep = `${'{"0":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    await mock.trigger(JSON.parse(`{"event":"GROUP_CREATED","groupId":"g","x":${deep}}`))
    await mock.clock.advance(0)
    expect(bodies).toEqual([expect.stringContaining(deep)])
  },
)

test('a fault hits only the events that match', async () => {
  await using mock = await createMock()
  mock.faults.deliveries.drop('CALL_ENDED', { where: { callId: 'call-2' }, times: 'always' })
  await mock.simulateCall({ callId: 'call-1', summary: false })
  await mock.simulateCall({ callId: 'call-2', summary: false })
  await mock.clock.advance('4d')
  const ended = mock.deliveries.filter(({ name }) => name === 'CALL_ENDED')
  expect(ended.filter(({ acknowledged }) => acknowledged)).toMatchObject([{ event: { callId: 'call-1' } }])
  expect(ended.filter(({ faults }) => faults.includes('drop'))).toHaveLength(10)
})

test('chance hits the same deliveries with the same seed, even after a reset', async () => {
  const playOn = async (mock: Mock) => {
    mock.faults.deliveries.duplicate('*', { chance: 0.5, times: 'always' })
    for (let call = 0; call < 10; call++) await mock.simulateCall({ callId: `call-${call}` })
    await mock.clock.advance(0)
    return mock.deliveries.map(({ name, attempt }) => `${name} ${attempt}`)
  }
  const play = async (seed: number) => {
    await using mock = await createMock({ seed })
    return await playOn(mock)
  }
  await using mock = await createMock({ seed: 42 })
  const first = await playOn(mock)
  mock.reset()
  expect(await playOn(mock)).toEqual(first)
  expect(await play(42)).toEqual(first)
  expect(await play(43)).not.toEqual(first)
  const copies = first.length - 40
  expect(copies).toBeGreaterThan(8)
  expect(copies).toBeLessThan(32)
})

test('reorder reorders the deliveries of each subscription', async () => {
  await using mock = await createMock()
  const received: Record<string, string[]> = { first: [], second: [] }
  const receive = (name: string, secret: string) =>
    createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onAny(({ event }) => {
      received[name]?.push(event)
    })
  const other = generateSecret()
  mock.deliverTo(receive('first', mock.secret))
  await mock.subscribe({ receiver: receive('second', other), secret: other })
  mock.faults.deliveries.reorder(['CALL_ENDED', 'CALL_ACCEPTED'])
  await mock.simulateCall({ summary: false })
  await mock.clock.advance(0)
  const order = ['CALL_INCOMING_INITIATED', 'CALL_ENDED', 'CALL_ACCEPTED']
  expect(received).toEqual({ first: order, second: order })
})

test('a removed receiver, and a reset, make room for another, which a removed one cannot remove', async () => {
  await using mock = await createMock()
  const taken: string[] = []
  const deliverTo = (name: string) =>
    mock.deliverTo(() => {
      taken.push(name)
      return new Response()
    })
  const play = async () => {
    await mock.simulateCall({ outcome: 'missed' })
    await mock.clock.advance(0)
  }
  const stopFirst = deliverTo('first')
  await play()
  stopFirst()
  await play()
  deliverTo('second')
  stopFirst()
  await play()
  expect(taken).toEqual(['first', 'second'])
  expect(mock.deliveries.map(({ to }) => to)).toEqual(['receiver', 'collector', 'receiver'])
  expect(() => deliverTo('third')).toThrow(/this mock already has a receiver/)

  mock.reset()
  deliverTo('after a reset')
  await play()
  expect(taken.at(-1)).toBe('after a reset')
})

test('a reordered event is retried like any other', async () => {
  await using mock = await createMock()
  let failures = 1
  const verify = standardWebhooks({ secrets: [mock.secret] })
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() }).onError(() => {})
  receiver.on('CALL_ENDED', () => {
    if (failures-- > 0) throw new Error('not now')
  })
  mock.deliverTo(receiver)
  mock.faults.deliveries.reorder(['CALL_AI_SUMMARY', 'CALL_ENDED'])
  await mock.simulateCall({ callId: 'call-1' })
  await mock.clock.advance('5s')
  const last = mock.deliveries.slice(2).map(({ name, status, attempt }) => [name, status, attempt])
  expect(last).toEqual([
    ['CALL_AI_SUMMARY', 200, 1],
    ['CALL_ENDED', 500, 1],
    ['CALL_ENDED', 200, 2],
  ])
})

test('rejects invalid faults and subscriptions, and explains what is valid', async () => {
  await using mock = await createMock()
  const { deliveries } = mock.faults
  expect(() => deliveries.duplicate('CALL_END' as never)).toThrow(/must be/)
  expect(() => deliveries.add({ kind: 'dup' } as never)).toThrow(MockUsageError)
  expect(() => deliveries.delay('*', {} as never)).toThrow(/by .*required|milliseconds/)
  expect(() => deliveries.reorder(['CALL_ENDED'])).toThrow(MockUsageError)
  expect(() => deliveries.tamper('*', { part: 'header' as never })).toThrow(/missing_header/)
  expect(() => deliveries.drop('*', { time: 2 } as never)).toThrow('Did you mean "times"?')
  expect(() => deliveries.drop('*', { times: 0 })).toThrow(/times must be/)
  expect(() => mock.faults.next('*', {})).toThrow(/something that goes wrong/)
  expect(() => mock.faults.next('*', { reset: true, html: true })).toThrow(/only one of/)
  await expect(mock.subscribe({})).rejects.toThrow(/either a url, for HTTP, or a receiver/)
  await expect(mock.subscribe({ url: 'localhost:3000' })).rejects.toThrow(/https.*http:\/\/localhost:3000/)
  await expect(mock.subscribe({ receiver: () => new Response(), number: '+1' })).rejects.toThrow(
    /needs its channel/,
  )
  const withScheme = { receiver: () => new Response(), authorization: { token: 'Bearer t0ken' } }
  await expect(mock.subscribe(withScheme)).rejects.toThrow(/without Bearer/)
  await expect(mock.subscribe({ recever: 1 } as never)).rejects.toThrow('"recever" is unknown')
})
