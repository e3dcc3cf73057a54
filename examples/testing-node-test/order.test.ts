import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { createMock } from 'wabakit/mock'
import { createReceiver, memoryDedupe, standardWebhooks, urlToken } from 'wabakit/webhooks'

const token = 'an-example-token'
const mock = await createMock()
afterEach(() => mock.reset())

test('a group is created even if the service is busy at first', async () => {
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 2 })
  const group = { wabaNumber: mock.wabaNumber, subject: 'Order 1042' }
  const { groupId } = await mock.client().groups.create(group)
  await mock.waitForEvent('GROUP_CREATED', { groupId, groupName: 'Order 1042' })
  assert.deepEqual(
    mock.requests.map(({ status }) => status),
    [429, 429, 200],
  )
})

test('the summary of a call is handled once', async () => {
  const handled: string[] = []
  const receiver = createReceiver({ verify: urlToken({ token }), dedupe: memoryDedupe() })
  receiver.on('CALL_AI_SUMMARY', (event) => handled.push(event.summary.recap))
  mock.deliverTo(receiver, { url: `https://shop.example/webhooks?token=${token}` })
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })

  assert.deepEqual(handled, ['Wants a refund.'])
})

test('the mock works with fake timers', async (context) => {
  context.mock.timers.enable({ now: new Date('2040-01-01') })
  const handled: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  mock.deliverTo(receiver.on('CALL_ENDED', (event) => handled.push(event.callId)))
  const { callId } = await mock.simulateCall()
  await mock.waitForDelivery('CALL_ENDED', { callId })
  assert.deepEqual(handled, [callId])
})
