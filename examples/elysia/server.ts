import { Elysia } from 'elysia'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

// The signature is verified on the bytes, so Elysia must not parse the body.
new Elysia()
  .post('/webhooks', ({ request }) => receiver.handle(request), { parse: 'none' })
  .listen(Number(process.env.PORT))
