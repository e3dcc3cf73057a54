import { DatabaseSync } from 'node:sqlite'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'

export const database = new DatabaseSync(process.env.DATABASE ?? 'orders.db')

export const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(database, { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event, { atCompletion }) => {
  atCompletion((sqlite) => {
    const insert = sqlite.prepare('INSERT INTO summaries (call_id, recap) VALUES (?, ?)')
    insert.run(event.callId, event.summary.recap)
  })
})

receiver.start()
