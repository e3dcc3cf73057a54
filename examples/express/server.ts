import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(new DatabaseSync(process.env.DATABASE ?? 'webhooks.db'), { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = express()
// Before express.json(), which would refuse bodies above 100 kB and broken JSON, so that they are lost.
app.post('/webhooks', toNodeHandler(receiver))
app.use(express.json())
receiver.start()
app.listen(Number(process.env.PORT ?? 3000))
