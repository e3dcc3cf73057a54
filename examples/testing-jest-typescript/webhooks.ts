import type { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

/**
 * Creates an application that keeps the recap of each call in the table `recaps`. With PostgreSQL, pass `new Pool()` of
 * `pg` to `sqlInbox`, and write with `const client = await transaction()`.
 */
export const createApp = (database: DatabaseSync, token: string) => {
  const receiver = createReceiver({
    verify: urlToken({ token }),
    inbox: sqlInbox(database, { dialect: 'sqlite' }),
  }).on('CALL_AI_SUMMARY', ({ callId, summary }, { atCompletion }) => {
    atCompletion((sqlite) => {
      sqlite.prepare('INSERT INTO recaps (call_id, recap) VALUES (?, ?)').run(callId, summary.recap)
    })
  })

  const app = express()
  // Before express.json(), which would refuse bodies above 100 kB and broken JSON, so that they are lost.
  app.post('/webhooks', toNodeHandler(receiver))
  app.use(express.json())
  return { app, receiver }
}
