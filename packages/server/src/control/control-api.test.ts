import { createReferenceServer } from '@wabakit/core'
import { createLiveStream } from '@wabakit/core/control'
import { createRequestLog } from '@wabakit/core/hosting'
import { createCallData, createCallSimulator } from '@wabakit/core/simulation'
import { readMessages } from '@wabakit/wire'
import { expect, onTestFinished, test } from 'vitest'
import { createControlApi } from './control-api.ts'

/** A control API, whose live streams hear of nothing but what the API itself reports, and never poll. */
const createControl = async (listen: (listener: unknown) => () => void = () => () => {}) => {
  const numbers = { integrations: [{ wabaNumber: '+15550100001' }] }
  const service = createReferenceServer({ organizations: [{ id: 'acme', ...numbers }] })
  await service.ready()
  const shared = { service, now: Date.now, onError: () => {} }
  let waits = 0
  const after = (ms: number, run: () => void): (() => void) => {
    if (ms < 1_000) setImmediate(run)
    else waits += 1
    return () => {}
  }
  const live = createLiveStream({ ...shared, store: { listen }, after })
  onTestFinished(live.close)
  const control = createControlApi({
    ...shared,
    live,
    simulation: createCallSimulator({
      server: service,
      now: Date.now,
      allowsObserved: false,
      createCallData: () => createCallData(Math.random),
      schedule: () => () => {},
    }),
    requests: createRequestLog(1),
    info: { version: '0.0.0', database: 'memory', role: 'all', can: [] },
    allowsCustomPayload: () => true,
    userAgent: 'wabakit',
    faults: undefined,
    checkToken: undefined,
    publicUrl: undefined,
    createRequestId: () => 'req_1',
  })
  const send = (method: string, path: string, body?: object): Promise<Response> => {
    const url = `http://localhost/_wabakit/organizations/acme${path}`
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const init = body && { body: JSON.stringify(body), headers }
    return control(new Request(url, { method, ...init }), '127.0.0.1')
  }
  return { service, send, countWaits: () => waits }
}

test('a HEAD request for the live stream opens none, because nothing would ever close it', async () => {
  const listeners = new Set<unknown>()
  const { send } = await createControl((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  })
  const response = await send('HEAD', '/stream')

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(listeners.size).toBe(0)
})

test('live streams have the events that the control API publishes at once, not after the next poll', async () => {
  const { service, send, countWaits } = await createControl()
  const number = { channel: 'WHATSAPP', number: '+15550100001' } as const
  const url = 'https://receiver.example/'
  const { id } = await service.subscriptions.create('acme', { ...number, url })
  const { body } = await send('GET', '/stream')
  if (body === null) return expect.unreachable()
  const messages = readMessages(body)
  const published = { ...number, subject: 'group:g1', payload: {} }
  for (const [wait, name, path, request] of [
    [1, 'GROUP_CREATED', '/events', { ...published, name: 'GROUP_CREATED' }],
    [2, 'CALL_ENDED', `/subscriptions/${id}/test-events`, { name: 'CALL_ENDED' }],
  ] as const) {
    const next = messages.next()
    await expect.poll(countWaits).toBe(wait)
    expect((await send('POST', path, request)).status).toBe(201)
    expect(JSON.parse((await next).value?.data ?? '{}').name).toBe(name)
  }
})

// Its server attempts nothing, so the delivery is due, and stays so.
test('a due delivery of a subscription with a limit waits for it, alone and in its timeline', async () => {
  const { service, send } = await createControl()
  const number = { channel: 'WHATSAPP', number: '+15550100001' } as const
  const limited = { url: 'https://receiver.example/', maxAttemptsPerSecond: 0.01 }
  await service.subscriptions.create('acme', { ...number, ...limited })
  const event = { ...number, name: 'GROUP_CREATED', subject: 'group:g1', payload: {} }
  expect((await send('POST', '/events', event)).status).toBe(201)
  const get = async (path: string) => (await send('GET', path)).json()

  const { deliveries } = await get('/timeline?group=g1')
  const shown = await get(`/deliveries/${deliveries[0]?.id}`)

  const wait = { reason: 'limit', text: expect.stringContaining('at most 0.01 attempts per second') }
  expect([shown, ...deliveries]).toMatchObject([{ wait }, { wait }])
})
