import { createServer } from 'node:http'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

createServer(toNodeHandler(receiver)).listen(process.env.PORT)
