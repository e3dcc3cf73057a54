import { createMock } from 'wabakit/mock'
import { createReceiver, standardWebhooks } from 'wabakit/webhooks'

/** Checks the mock in the current runtime, in process. Rejects on the first failure. Returns the checks. */
export const checkMock = async (): Promise<string[]> => {
  const mock = await createMock()
  const recaps: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  mock.deliverTo(receiver.on('CALL_AI_SUMMARY', (event) => recaps.push(event.summary.recap)))
  mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 })
  const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 7' })
  await mock.waitForDelivery('GROUP_CREATED', { groupId })
  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await mock.close()
  if (recaps.join() !== 'Wants a refund.') throw new Error(`Failed: delivers a summary. Received ${recaps}`)
  return ['the mock creates a group and delivers a summary, on virtual time']
}
