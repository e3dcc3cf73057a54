import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = new Hono()
app.post('/webhooks', (c) => receiver.handle(c))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
