const { createMock } = require('wabakit/mock')
const { matchers } = require('wabakit/mock/matchers')
const { createReceiver, memoryDedupe, standardWebhooks, urlToken } = require('wabakit/webhooks')

expect.extend(matchers)

const token = 'an-example-token'
let mock
beforeAll(async () => {
  mock = await createMock()
})
afterEach(() => mock.reset())
afterAll(() => mock.close())

test('a group is created even if the service is busy at first', async () => {
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 2 })
  const group = { wabaNumber: mock.wabaNumber, subject: 'Order 1042' }
  const { groupId } = await mock.client().groups.create(group)
  await mock.waitForEvent('GROUP_CREATED', { groupId, groupName: 'Order 1042' })
  expect(mock.requests.map(({ status }) => status)).toEqual([429, 429, 200])
})

test('the summary of a call is handled once', async () => {
  const handled = []
  const receiver = createReceiver({ verify: urlToken({ token }), dedupe: memoryDedupe() })
  receiver.on('CALL_AI_SUMMARY', (event) => handled.push(event.summary.recap))
  mock.deliverTo(receiver, { url: `https://shop.example/webhooks?token=${token}` })
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')

  expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY', { callId })
  expect(handled).toEqual(['Wants a refund.'])
})

test('the mock works with fake timers', async () => {
  const handled = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  mock.deliverTo(receiver.on('CALL_ENDED', (event) => handled.push(event.callId)))
  jest.useFakeTimers({ now: new Date('2040-01-01') })
  try {
    const { callId } = await mock.simulateCall()
    await mock.waitForDelivery('CALL_ENDED', { callId })
    expect(handled).toEqual([callId])
  } finally {
    jest.useRealTimers()
  }
})
