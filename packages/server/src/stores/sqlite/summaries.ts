import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { CallSummaryRecord, SummaryChange } from '@wabakit/core'
import type { Events } from './events.ts'
import { insertInto, listMarks, mapTable } from './records.ts'

export type Summaries = {
  save(change: SummaryChange): 'first' | 'replaced'
  find(organizationId: string, callId: string): CallSummaryRecord | undefined
  /** Removes the summary of a call, if it has one, except for its mark. */
  remove(organizationId: string, callId: string): void
}

const { columns, toRow, toRecord } = mapTable('summaries')

const hash = (callId: string): string => createHash('sha256').update(callId).digest('hex')

export const createSummaries = (database: DatabaseSync, events: Events): Summaries => {
  const insert = database.prepare(`${insertInto('summaries', columns)} on conflict do nothing`)
  const replace = database.prepare(
    `update summaries set (${columns.join(', ')}) = (${listMarks(columns)}) where organizationId = ? and callId = ?`,
  )
  const find = database.prepare('select * from summaries where organizationId = ? and callId = ?')

  const findMark = database.prepare('select 1 from summaryMarks where organizationId = ? and hash = ?')
  const addMark = database.prepare(
    'insert into summaryMarks (organizationId, hash) values (?, ?) on conflict do nothing',
  )
  const remove = database.prepare('delete from summaries where organizationId = ? and callId = ?')

  return {
    save: ({ summary, event }) => {
      const values = Object.values(toRow(summary))
      if (Number(insert.run(...values).changes) === 0) {
        replace.run(...values, summary.organizationId, summary.callId)
        return 'replaced'
      }
      if (findMark.get(summary.organizationId, hash(summary.callId)) !== undefined) return 'replaced'
      if (event !== null) events.publish(event)
      return 'first'
    },
    find: (organizationId, callId) => {
      const row = find.get(organizationId, callId)
      return row && toRecord(row)
    },
    remove: (organizationId, callId) => {
      if (Number(remove.run(organizationId, callId).changes) > 0) addMark.run(organizationId, hash(callId))
    },
  }
}
