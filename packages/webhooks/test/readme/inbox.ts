import type { Pool } from 'pg'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'

export const createSummaries = (pool: Pool, token: string) =>
  createReceiver({
    verify: urlToken({ token }),
    inbox: sqlInbox(pool),
  }).on('CALL_AI_SUMMARY', async (event, { transaction }) => {
    const client = await transaction()
    const insert = 'INSERT INTO summaries (call_id, recap) VALUES ($1, $2)'
    await client.query(insert, [event.callId, event.summary.recap])
  })
