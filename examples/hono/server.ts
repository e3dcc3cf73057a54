import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = new Hono()
app.post('/webhooks', (c) => receiver.handle(c))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
