import { createClient, isApiError } from 'wabakit'
import { createReceiver, standardWebhooks } from 'wabakit/webhooks'

const client = createClient()
export const receiver = createReceiver({ verify: standardWebhooks({ secrets: ['whsec_secret'] }) })
  .on('CALL_AI_SUMMARY', ({ summary }) => console.log(summary.recap))
  .on('CALL_ENDED', ({ callId }) => console.log(callId))

export const createGroup = async () => {
  try {
    return await client.groups.create({ wabaNumber: '+15550001111', subject: 'Order 7' })
  } catch (error) {
    return isApiError(error) ? error.code : undefined
  }
}
