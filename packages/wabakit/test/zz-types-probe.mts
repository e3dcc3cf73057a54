import { createClient, isApiError } from 'wabakit'
import { createReceiver, standardWebhooks } from 'wabakit/webhooks'

const client = createClient()
const receiver = createReceiver({ verify: standardWebhooks({ secrets: ['whsec_x'] }) })
receiver.on('CALL_AI_SUMMARY', async (event) => {
  const { summary } = event
  console.log(summary.recap)
})
receiver.on('CALL_ENDED', (event) => console.log(event.callId))
export const run = async () => {
  try {
    const { groupId } = await client.groups.create({ wabaNumber: '+1', subject: 'x' })
    const record = await client.calls.getSummary(groupId)
    return record.summary.recap
  } catch (error) {
    if (isApiError(error)) return error.code
    throw error
  }
}
