import fastify from 'fastify'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { toFastifyPlugin } from 'wabakit/webhooks/fastify'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = fastify()
app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
await app.listen({ port: Number(process.env.PORT) })
