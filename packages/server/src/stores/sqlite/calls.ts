import type { DatabaseSync } from 'node:sqlite'
import type { CallChange, CallQuery, CallRecord, Page, SaveOutcome } from '@wabakit/core'
import { toLikePattern, toPage } from '../page.ts'
import type { Events } from './events.ts'
import { customerDigits } from './migrations.ts'
import { createNewest } from './newest.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'
import type { Summaries } from './summaries.ts'

export type Calls = {
  save(change: CallChange): SaveOutcome
  find(organizationId: string, callId: string): CallRecord | undefined
  list(query: CallQuery): Page<CallRecord>
  /** Removes a call with its summary, and keeps a mark of the summary. */
  remove(organizationId: string, callId: string): void
}

const { toRecord } = mapTable('calls')

export const createCalls = (database: DatabaseSync, events: Events, summaries: Summaries): Calls => {
  const save = createSave(database, 'calls')
  const find = database.prepare('select * from calls where organizationId = ? and callId = ?')
  const readNewest = createNewest(database, { table: 'calls', time: 'initiatedAt', id: 'callId' })
  const remove = database.prepare('delete from calls where organizationId = ? and callId = ?')

  return {
    save: ({ call, event }) => {
      const outcome = save(call)
      if (outcome === 'saved' && event !== null) events.publish(event)
      return outcome
    },
    find: (organizationId, callId) => {
      const row = find.get(organizationId, callId)
      return row && toRecord(row)
    },
    list: (query) =>
      toPage({
        ...readNewest(query, {
          [`${customerDigits} = ?`]: query.customerDigits,
          'state = ?': query.state,
          "(callId like ? escape '\\' or customerNumber like ? escape '\\')": query.text && [
            toLikePattern(query.text),
            toLikePattern(query.text),
          ],
        }),
        toItem: toRecord,
      }),
    remove: (organizationId, callId) => {
      remove.run(organizationId, callId)
      summaries.remove(organizationId, callId)
    },
  }
}
