import type { DatabaseSync } from 'node:sqlite'
import { CallSummary } from '@wabakit/contract'
import type { CallSummaryRecord, SummaryChange } from '@wabakit/core'
import * as z from 'zod/mini'
import { jsonColumn } from './column.ts'
import type { Events } from './events.ts'

const SummaryRow: z.ZodMiniType<CallSummaryRecord> = z.object({
  organizationId: z.string(),
  callId: z.string(),
  summary: jsonColumn(CallSummary),
  generatedBy: z.enum(['automatic', 'team_member']),
  generatedAt: z.number(),
})

/** The table of summaries. */
export type Summaries = {
  save(change: SummaryChange): 'first' | 'replaced'
  find(organizationId: string, callId: string): CallSummaryRecord | undefined
}

/** Makes the access to the table. */
export const createSummaries = (database: DatabaseSync, events: Events): Summaries => {
  const insert = database.prepare(
    `insert into summaries (summary, generatedBy, generatedAt, organizationId, callId) values (?, ?, ?, ?, ?)
     on conflict do nothing`,
  )
  const replace = database.prepare(
    `update summaries set summary = ?, generatedBy = ?, generatedAt = ? where organizationId = ? and callId = ?`,
  )
  const find = database.prepare('select * from summaries where organizationId = ? and callId = ?')

  return {
    save: ({ summary, event }) => {
      const { organizationId, callId, generatedBy, generatedAt } = summary
      const values = [JSON.stringify(summary.summary), generatedBy, generatedAt, organizationId, callId]
      if (Number(insert.run(...values).changes) === 0) {
        replace.run(...values)
        return 'replaced'
      }
      if (event !== null) events.tell(event)
      return 'first'
    },
    find: (organizationId, callId) => {
      const row = find.get(organizationId, callId)
      return row && SummaryRow.parse(row)
    },
  }
}
