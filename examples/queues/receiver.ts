import { DatabaseSync } from 'node:sqlite'
import { createReceiver, sqlInbox, standardWebhooks } from 'wabakit/webhooks'

const database = new DatabaseSync(process.env.DATABASE ?? 'events.db')

export const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
  inbox: sqlInbox(database, { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
