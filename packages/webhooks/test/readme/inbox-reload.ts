import { Pool } from 'pg'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'

const kept = globalThis as { webhookPool?: Pool; stopWebhooks?: () => Promise<unknown> }
kept.webhookPool ??= new Pool({ connectionString: process.env.DATABASE_URL })

export const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(kept.webhookPool),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

export const start = () => {
  void kept.stopWebhooks?.()
  kept.stopWebhooks = () => receiver.stop()
  receiver.start()
}
if (kept.stopWebhooks) start()
