import { DatabaseSync } from 'node:sqlite'
import { createReceiver, type ReceiverOptions, sqlInbox } from 'wabakit/webhooks'

export const refunds: string[] = []

export const createOrders = (verify: ReceiverOptions['verify'], database = ':memory:') => {
  const inbox = sqlInbox(new DatabaseSync(database), { dialect: 'sqlite' })
  return createReceiver({ verify, inbox }).on('CALL_AI_SUMMARY', (event) => {
    if (event.summary.recap.includes('refund')) refunds.push(event.callId)
    console.log(event.callId, event.summary.recap)
  })
}
