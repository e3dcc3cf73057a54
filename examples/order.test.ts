import { expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

test('an order gets its group, and the summary of its call arrives once', async () => {
  const token = 'an-example-token'
  await using mock = await createMock()
  const received: string[] = []
  const receiver = createReceiver({ verify: urlToken({ token }), dedupe: memoryDedupe() })
  receiver.onAny(({ event }) => received.push(event))
  mock.deliverTo(receiver, { url: `https://shop.example/webhooks?token=${token}` })
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 })
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { wabaNumber } = mock
  const { groupId } = await mock.client().groups.create({ wabaNumber, subject: 'Order 1042' })
  await mock.waitForDelivery('GROUP_CREATED', { groupId })

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  const { event } = await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  expect(event.summary.recap).toBe('Wants a refund.')
  expect(received.filter((name) => name === 'CALL_AI_SUMMARY')).toHaveLength(1)
})
