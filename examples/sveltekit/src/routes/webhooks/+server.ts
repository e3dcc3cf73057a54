import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { WABAKIT_WEBHOOK_SECRET } from '$app/env/private'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [WABAKIT_WEBHOOK_SECRET] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

export const POST = receiver.handle
