import { expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import { bearerAuth } from 'wabakit/webhooks'
import { createOrders, refunds } from './orders.ts'

test('a refund is recorded once, even if its webhook arrives twice', async () => {
  const mock = await createMock({ webhookAuth: { token: 'example-token' } })
  const orders = createOrders(bearerAuth({ token: 'example-token' }))
  mock.deliverTo(orders)
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await orders.drain()

  expect(refunds).toEqual([callId])
  await mock.close()
})
