import { expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import { urlToken } from 'wabakit/webhooks'
import { createOrders, refunds } from './orders.ts'

test('a refund is recorded once, even if its webhook arrives twice', async () => {
  const mock = await createMock()
  const orders = createOrders(urlToken({ token: 'an-example-token' }))
  mock.deliverTo(orders, { url: 'https://shop.example/webhooks?token=an-example-token' })
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await orders.drain()

  expect(refunds).toEqual([callId])
  await mock.close()
})
