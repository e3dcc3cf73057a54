import { bearerAuth, createReceiver, memoryDedupe } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: bearerAuth({ token: () => Deno.env.get('WEBHOOK_TOKEN') ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

Deno.serve({ port: Number(Deno.env.get('PORT')) }, receiver.handle)
