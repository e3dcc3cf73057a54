import type { PoolClient } from 'pg'
import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'

export const save = async (event: CallAiSummaryEvent, { transaction }: InboxContext<PoolClient>) => {
  const client = await transaction()
  const insert = 'INSERT INTO summaries (call_id, recap) VALUES ($1, $2)'
  await client.query(insert, [event.callId, event.summary.recap])
}
