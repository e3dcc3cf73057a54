import { Elysia } from 'elysia'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

// A signature is verified on the bytes, so Elysia must not parse the body.
new Elysia()
  .post('/webhooks', ({ request }) => receiver.handle(request), { parse: 'none' })
  .listen(Number(process.env.PORT))
