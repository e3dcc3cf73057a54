import { http } from '@google-cloud/functions-framework'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

http('webhooks', toNodeHandler(receiver))
