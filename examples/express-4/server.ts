import express from 'express'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

const app = express()
app.post('/webhooks', toNodeHandler(receiver))
app.use(express.json())
app.listen(Number(process.env.PORT))
