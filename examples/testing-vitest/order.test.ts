import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { expect, test } from './mock.ts'

const token = 'an-example-token'

test.concurrent('a group is created even if the service is busy at first', async ({ mock }) => {
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 2 })
  const group = { wabaNumber: mock.wabaNumber, subject: 'Order 1042' }
  const { groupId } = await mock.client().groups.create(group)
  await mock.waitForEvent('GROUP_CREATED', { groupId, groupName: 'Order 1042' })
  expect(mock.requests.map(({ status }) => status)).toEqual([429, 429, 200])
})

test.concurrent('the summary of a call is handled once', async ({ mock }) => {
  const handled: string[] = []
  const receiver = createReceiver({ verify: urlToken({ token }), dedupe: memoryDedupe() })
  receiver.on('CALL_AI_SUMMARY', (event) => handled.push(event.summary.recap))
  mock.deliverTo(receiver, { url: `https://shop.example/webhooks?token=${token}` })
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')

  expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY', { callId })
  expect(handled).toEqual(['Wants a refund.'])
})
