import { createMock, type Mock } from '@wabakit/mock'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { expect, onTestFinished, test } from 'vitest'

const start = async (options = {}) => {
  const mock = await createMock({ port: 0, ...options })
  onTestFinished(mock.close)
  const seen: string[] = []
  const respond = async (request: Request) => {
    seen.push(await request.clone().text())
    return createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) }).handle(request)
  }
  const to = await mock.subscribe({
    receiver: respond,
    channel: 'PSTN',
    events: ['CALL_ENDED'],
    secret: mock.secret,
  })
  const call = async () => {
    await mock.simulateCall({ channel: 'PSTN', summary: false })
    await mock.clock.advance('10m')
  }
  return { mock, to, seen, call }
}

const read = async (mock: Mock, path: string) =>
  (await fetch(`${mock.url}/_wabakit/organizations/${mock.organizationId}${path}`)).json()

/** Reads the attempts of the first delivery, and the request of each. */
const readAttempts = async (mock: Mock) => {
  const [delivery] = (await read(mock, '/deliveries')).items
  const path = `/deliveries/${delivery.id}/attempts`
  const { items } = await read(mock, path)
  const requests = []
  for (const { number } of items) requests.push(await read(mock, `${path}/${number}/request`))
  return { items, requests }
}

test('a tampered attempt shows the bytes that were sent, and the next one the genuine ones', async () => {
  const { mock, to, seen, call } = await start()
  mock.faults.deliveries.tamper('CALL_ENDED', { part: 'body', to })
  await call()
  const { items, requests } = await readAttempts(mock)
  expect(items).toMatchObject([{ status: 401, wire: { faults: ['tamper'], isSent: true } }, { status: 200 }])
  expect(items[1]).not.toHaveProperty('wire')
  expect(requests.map(({ body }) => body)).toEqual(seen)
  expect(seen[0]).not.toBe(seen[1])
  expect(requests[0].faults).toEqual(['tamper'])
})

test('a dropped attempt was not sent, and copies are attempts of their own on the wire', async () => {
  const { mock, to, call } = await start()
  mock.faults.deliveries.drop('CALL_ENDED', { to })
  mock.faults.deliveries.duplicate('CALL_ENDED', { to, copies: 2 })
  await call()
  const { items, requests } = await readAttempts(mock)
  const copy = { status: 200, responseBody: expect.any(String) }
  expect(items).toMatchObject([
    { status: null, wire: { faults: ['drop'], isSent: false, copies: [] } },
    { status: 200, wire: { faults: ['duplicate'], isSent: true, copies: [copy, copy] } },
  ])
  expect(requests[0]).toMatchObject({ code: 'not_found', message: expect.stringContaining('fault drop') })
})

test('a late attempt was not sent when the server counted it', async () => {
  const { mock, to, seen, call } = await start()
  mock.faults.deliveries.delay('CALL_ENDED', { by: '1m', to })
  await call()
  const { items, requests } = await readAttempts(mock)
  expect(seen).toHaveLength(1)
  expect(items).toMatchObject([
    { status: 204, wire: { faults: ['delay'], isSent: false } },
    { status: 200, wire: { faults: ['delay'], isSent: true } },
  ])
  expect(requests[1].body).toBe(seen[0])
})

test('the request of a profile is the one that it sends, without the values of credentials', async () => {
  const webhookAuth = { header: 'x-webhook-token', value: 't0ken-of-the-test' }
  const { mock, seen, call } = await start({ profile: 'live', webhookAuth })
  await call()
  const { requests } = await readAttempts(mock)
  expect(requests[0].body).toBe(seen[0])
  expect(requests[0].headers).not.toHaveProperty('webhook-signature')
  expect(requests[0].hiddenHeaders).toEqual(['x-webhook-token'])
  expect(JSON.stringify(requests)).not.toContain('t0ken-of-the-test')
})

test('an attempt that timed out was sent, although the server got no response', async () => {
  const { mock, to, seen, call } = await start()
  mock.faults.deliveries.timeOut('CALL_ENDED', { to })
  await call()
  const { items, requests } = await readAttempts(mock)
  expect(items).toMatchObject([
    { status: null, error: expect.stringContaining('timeOut'), wire: { faults: ['timeOut'], isSent: true } },
    { status: 200 },
  ])
  expect(requests.map(({ body }) => body)).toEqual(seen)
})

test('an attempt that waits for another event was not sent when the server counted it', async () => {
  const mock = await createMock({ port: 0 })
  onTestFinished(mock.close)
  const seen: string[] = []
  const receiver = async (request: Request) => {
    seen.push(await request.text())
    return new Response(null, { status: 204 })
  }
  const { ids } = await mock.subscribe({
    receiver,
    channel: 'PSTN',
    events: ['CALL_ENDED', 'CALL_AI_SUMMARY'],
  })
  mock.faults.deliveries.reorder(['CALL_AI_SUMMARY', 'CALL_ENDED'], { to: ids[0] })
  await mock.simulateCall({ channel: 'PSTN', summary: { after: '30s' } })
  await mock.clock.advance('10m')
  expect(seen.map((body) => JSON.parse(body).event)).toEqual(['CALL_AI_SUMMARY', 'CALL_ENDED'])
  const deliveries: { id: string; eventName: string }[] = (await read(mock, '/deliveries')).items
  const { id } = deliveries.find(({ eventName }) => eventName === 'CALL_ENDED') ?? {}
  const { items } = await read(mock, `/deliveries/${id}/attempts`)
  expect(items).toMatchObject([
    { wire: { faults: ['reorder'], isSent: false } },
    { wire: { faults: ['reorder'], isSent: true } },
  ])
})

test('a measured request by GET shows the event in its URL, but not the token of the endpoint', async () => {
  const stated = (value: string) => ({ values: [{ value, source: 'stated' }] })
  const profile = { version: 1, api: {}, deliveries: { method: stated('GET') }, events: {} }
  const mock = await createMock({ port: 0, profile, webhookAuth: { urlToken: 't0ken-of-the-test' } })
  onTestFinished(mock.close)
  const seen: URL[] = []
  const receiver = (request: Request) => {
    seen.push(new URL(request.url))
    return new Response(null, { status: 204 })
  }
  await mock.subscribe({ receiver, channel: 'PSTN', events: ['CALL_ENDED'] })
  const { callId } = await mock.simulateCall({ channel: 'PSTN', summary: false })
  await mock.clock.advance('1m')
  const { requests } = await readAttempts(mock)
  expect(seen[0]?.searchParams.get('token')).toBe('t0ken-of-the-test')
  seen[0]?.searchParams.set('token', '***')
  expect(requests[0]).toMatchObject({ method: 'GET', url: seen[0]?.href, body: '' })
  expect(requests[0].url).toContain(`callId=${callId}`)
})
