import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'
import { database, Summary } from './typeorm-query.ts'

export { database }

export const save = (event: CallAiSummaryEvent, { delivery }: InboxContext) =>
  database.transaction(async (manager) => {
    const mark = 'INSERT INTO handled_deliveries (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key'
    const marked: readonly unknown[] = await manager.query(mark, [delivery.key])
    if (marked.length === 0) return
    await manager.insert(Summary, { callId: event.callId, recap: event.summary.recap })
  })
