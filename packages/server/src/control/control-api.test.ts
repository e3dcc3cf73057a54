import { createReferenceServer } from '@wabakit/core'
import { createLiveStream } from '@wabakit/core/control'
import { createRequestLog } from '@wabakit/core/hosting'
import { expect, test } from 'vitest'
import { createControlApi } from './control-api.ts'
import { createSimulation } from './simulation.ts'

test('a HEAD request for the live stream opens none, because nothing would ever close it', async () => {
  const service = createReferenceServer({ organizations: [{ id: 'acme' }] })
  await service.ready()
  const listeners = new Set<unknown>()
  const listen = (listener: unknown) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const shared = { service, now: Date.now, onError: () => {} }
  const control = createControlApi({
    ...shared,
    live: createLiveStream({ ...shared, store: { listen } }),
    simulation: createSimulation(service, shared),
    requests: createRequestLog(1),
    info: { version: '0.0.0', database: 'memory', role: 'all', mock: false },
    allowsCustomPayload: () => false,
    userAgent: 'wabakit',
    faults: undefined,
    checkToken: undefined,
    publicUrl: undefined,
    createRequestId: () => 'req_1',
  })
  const url = 'http://localhost/_wabakit/organizations/acme/stream'
  const response = await control(new Request(url, { method: 'HEAD' }), '127.0.0.1')

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(listeners.size).toBe(0)
})
