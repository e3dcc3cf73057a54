import { Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolClient } from 'pg'
import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'

type Database = { summaries: { call_id: string; recap: string } }

const pool = new Pool({ connectionString: process.env.DATABASE_URL })
export const database = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })

export const save = async (event: CallAiSummaryEvent, { transaction }: InboxContext<PoolClient>) => {
  const client = await transaction()
  const row = { call_id: event.callId, recap: event.summary.recap }
  const { sql, parameters } = database.insertInto('summaries').values(row).compile()
  await client.query(sql, [...parameters])
}
