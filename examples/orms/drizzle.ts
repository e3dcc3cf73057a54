import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { PoolClient } from 'pg'
import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'

const summaries = pgTable('summaries', { callId: text('call_id').notNull(), recap: text().notNull() })

export const save = async (event: CallAiSummaryEvent, { transaction }: InboxContext<PoolClient>) => {
  const database = drizzle({ client: await transaction() })
  await database.insert(summaries).values({ callId: event.callId, recap: event.summary.recap })
}
