import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [Deno.env.get('WABAKIT_WEBHOOK_SECRET') ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

Deno.serve({ port: Number(Deno.env.get('PORT')) }, receiver.handle)
