import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { WEBHOOK_TOKEN } from '$app/env/private'

const receiver = createReceiver({
  verify: urlToken({ token: () => WEBHOOK_TOKEN }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

export const POST = receiver.handle
