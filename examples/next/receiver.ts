import { bearerAuth, createReceiver, memoryDedupe } from 'wabakit/webhooks'

export const receiver = createReceiver({
  verify: bearerAuth({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
