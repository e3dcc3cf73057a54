import type { Pool } from 'pg'
import type { WebhookEvent } from 'wabakit/contract'
import { createReceiver, parseEvent, standardWebhooks } from 'wabakit/webhooks'

export const table = `CREATE TABLE IF NOT EXISTS webhook_inbox (
  key text PRIMARY KEY,
  body bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  leased_until timestamptz NOT NULL DEFAULT '-infinity',
  done_at timestamptz
)`

/** Responds 200 as soon as the event is committed. The key of a replay is already taken. */
export const createInbox = (pool: Pool, secret: string) =>
  createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onAny(
    async (_, { delivery, rawBody }) => {
      const insert = 'INSERT INTO webhook_inbox (key, body) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING'
      await pool.query(insert, [delivery.key, rawBody])
    },
  )

/** Handles the oldest event, in any number of processes. The event of a process that dies is left to the others. */
export const workOnce = async (
  pool: Pool,
  handle: (event: WebhookEvent) => Promise<void>,
): Promise<boolean> => {
  const { rows } = await pool.query(
    `UPDATE webhook_inbox SET leased_until = now() + interval '1 minute'
     WHERE key = (SELECT key FROM webhook_inbox WHERE done_at IS NULL AND leased_until < now()
                  ORDER BY received_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING key, body`,
  )
  for (const { key, body } of rows) {
    const parsed = parseEvent(body)
    if (parsed.kind === 'event') await handle(parsed.event)
    await pool.query('UPDATE webhook_inbox SET done_at = now() WHERE key = $1', [key])
  }
  return rows.length > 0
}
