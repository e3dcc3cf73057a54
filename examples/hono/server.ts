import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(new DatabaseSync(process.env.DATABASE ?? 'webhooks.db'), { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = new Hono()
app.post('/webhooks', (c) => receiver.handle(c))
receiver.start()
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })
