import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

export default defineEventHandler((event) => receiver.handle(toWebRequest(event)))
