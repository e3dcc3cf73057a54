import { createRequestLog } from '@wabakit/core/hosting'
import { expect, test } from 'vitest'
import { createVirtualTimers } from '../time/virtual-timers.ts'
import { createTenant } from './create-tenant.ts'

test('a live stream that was closed hears of no further attempts', async () => {
  const tenant = createTenant({
    seed: 1,
    live: undefined,
    measured: undefined,
    index: 0,
    settings: {},
    url: 'https://mock.invalid',
    isListening: false,
    requests: createRequestLog(1),
    createTimers: () => createVirtualTimers(0),
  })
  const { service } = await tenant.openStreamed()
  let attempts = 0
  const stop = service.dispatcher.onAttempt(() => {
    attempts++
  })
  await tenant.handles.trigger('GROUP_CREATED')
  await tenant.handles.waitForDelivery('GROUP_CREATED')
  stop()
  await tenant.handles.trigger('CALL_ENDED')
  await tenant.handles.waitForDelivery('CALL_ENDED')
  expect(attempts).toBe(1)
  await tenant.close()
})
