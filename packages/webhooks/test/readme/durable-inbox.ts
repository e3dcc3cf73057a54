import type { Pool } from 'pg'
import type { WebhookEvent } from 'wabakit/contract'
import { createReceiver, parseEvent, standardWebhooks } from 'wabakit/webhooks'

export const table = `CREATE TABLE IF NOT EXISTS webhook_inbox (
  key text PRIMARY KEY,
  body bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  done_at timestamptz
)`

/** Answers 200 as soon as the event is committed. A replay finds its key taken. */
export const createInbox = (pool: Pool, secret: string) =>
  createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onAny(
    async (_, { delivery, rawBody }) => {
      const insert = 'INSERT INTO webhook_inbox (key, body) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING'
      await pool.query(insert, [delivery.key, rawBody])
    },
  )

/** Handles the oldest event, in any number of processes. One that dies leaves its event to the others. */
export const workOnce = async (
  pool: Pool,
  handle: (event: WebhookEvent) => Promise<void>,
): Promise<boolean> => {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query(
      `SELECT key, body FROM webhook_inbox WHERE done_at IS NULL
       ORDER BY received_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    )
    for (const { key, body } of rows) {
      const parsed = parseEvent(body)
      if (parsed.kind === 'event') await handle(parsed.event)
      await client.query('UPDATE webhook_inbox SET done_at = now() WHERE key = $1', [key])
    }
    await client.query('COMMIT')
    client.release()
    return rows.length > 0
  } catch (error) {
    client.release(true)
    throw error
  }
}
