import fastify from 'fastify'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toFastifyPlugin } from 'wabakit/webhooks/fastify'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = fastify()
app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
await app.listen({ port: Number(process.env.PORT) })
