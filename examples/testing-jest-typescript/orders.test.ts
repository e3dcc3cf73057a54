import { createMock, type Mock } from 'wabakit/mock'
import { type EventMatchers, matchers } from 'wabakit/mock/matchers'
import { memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { openGroup, receiveRecaps } from './orders'

declare global {
  namespace jest {
    interface Matchers<R> extends EventMatchers<R> {}
  }
}
expect.extend(matchers)

let mock: Mock
beforeAll(async () => {
  mock = await createMock()
})
afterEach(() => mock.reset())
afterAll(() => mock.close())

test('a group is created for an order', async () => {
  const groupId = await openGroup(mock.client(), { wabaNumber: mock.wabaNumber, number: 1042 })
  await mock.waitForEvent('GROUP_CREATED', { groupId, groupName: 'Order 1042' })
})

test('an order waits while the service is busy', async () => {
  mock.faults.next('groups.create', { status: 429 })
  const client = mock.client({ retry: { limit: 0 } })
  expect(await openGroup(client, { wabaNumber: mock.wabaNumber, number: 1043 })).toBeUndefined()
})

test('the summary of a call is handled once', async () => {
  const recaps: string[] = []
  const verify = standardWebhooks({ secrets: [mock.secret] })
  mock.deliverTo(receiveRecaps((recap) => recaps.push(recap), { verify, dedupe: memoryDedupe() }))
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')

  expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY', { callId })
  expect(recaps).toEqual(['Wants a refund.'])
})
