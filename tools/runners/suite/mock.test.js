import { createMock } from 'wabakit/mock'
import { matchers } from 'wabakit/mock/matchers'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'

// For every runner with the globals of jest. TIMERS and ENVIRONMENT say how it runs.
const { TIMERS, ENVIRONMENT } = process.env
const timers = globalThis.vi ?? import.meta.jest ?? jest
if (TIMERS === 'fake') timers.useFakeTimers()
expect.extend(matchers)

const startedAt = Date.now()
let mock
beforeAll(async () => {
  mock = await createMock()
})
afterEach(() => mock.reset())
afterAll(() => mock.close())

test('runs in its environment, with its timers', () => {
  expect(typeof document).toBe(ENVIRONMENT === 'node' ? 'undefined' : 'object')
  expect(Date.now() === startedAt).toBe(TIMERS === 'fake')
})

test('creates a group although the service is busy at first', async () => {
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 2 })
  const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 7' })
  await mock.waitForEvent('GROUP_CREATED', { groupId })
  expect(mock.requests.map(({ status }) => status)).toEqual([429, 429, 200])
})

test('handles a summary once', async () => {
  const handled = []
  const verify = standardWebhooks({ secrets: [mock.secret] })
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() })
  mock.deliverTo(receiver.on('CALL_AI_SUMMARY', (event) => handled.push(event.summary.recap)))
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')
  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY', { callId })
  expect(handled).toEqual(['Wants a refund.'])
})
