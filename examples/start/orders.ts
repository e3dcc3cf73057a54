import { createReceiver, memoryDedupe, type ReceiverOptions } from 'wabakit/webhooks'

export const refunds: string[] = []

export const createOrders = (verify: ReceiverOptions['verify']) =>
  createReceiver({ verify, dedupe: memoryDedupe() }).on('CALL_AI_SUMMARY', (event) => {
    if (event.summary.recap.includes('refund')) refunds.push(event.callId)
    console.log(event.callId, event.summary.recap)
  })
