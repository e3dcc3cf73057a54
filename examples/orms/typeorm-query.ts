import type { PoolClient } from 'pg'
import { DataSource, EntitySchema } from 'typeorm'
import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'

export const Summary = new EntitySchema<{ callId: string; recap: string }>({
  name: 'summaries',
  columns: { callId: { type: 'text', name: 'call_id', primary: true }, recap: { type: 'text' } },
})

const url = process.env.DATABASE_URL ?? ''
export const database = new DataSource({ type: 'postgres', url, entities: [Summary] })

export const save = async (event: CallAiSummaryEvent, { transaction }: InboxContext<PoolClient>) => {
  const client = await transaction()
  const row = { callId: event.callId, recap: event.summary.recap }
  const insert = database.createQueryBuilder().insert().into(Summary).values(row)
  const [sql, parameters] = insert.getQueryAndParameters()
  await client.query(sql, parameters)
}
