import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => Deno.env.get('WEBHOOK_TOKEN') ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

Deno.serve({ port: Number(Deno.env.get('PORT')) }, receiver.handle)
