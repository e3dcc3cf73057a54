import { env } from 'cloudflare:workers'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => env.WEBHOOK_TOKEN }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

export const onRequestPost = receiver.handle
