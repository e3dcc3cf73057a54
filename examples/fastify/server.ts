import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { toFastifyPlugin } from 'wabakit/webhooks/fastify'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(new DatabaseSync(process.env.DATABASE ?? 'webhooks.db'), { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = fastify()
app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
receiver.start()
await app.listen({ port: Number(process.env.PORT ?? 3000) })
