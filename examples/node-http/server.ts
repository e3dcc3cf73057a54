import { createServer } from 'node:http'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

createServer(toNodeHandler(receiver)).listen(process.env.PORT)
