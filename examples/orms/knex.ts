import knex from 'knex'
import type { PoolClient } from 'pg'
import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'

export const database = knex({ client: 'pg', connection: process.env.DATABASE_URL })

export const save = async (event: CallAiSummaryEvent, { transaction }: InboxContext<PoolClient>) => {
  const row = { call_id: event.callId, recap: event.summary.recap }
  await database('summaries')
    .insert(row)
    .connection(await transaction())
}
