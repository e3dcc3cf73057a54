import type { DatabaseSync } from 'node:sqlite'
import type { CallChange, CallRecord, SaveOutcome } from '@wabakit/core'
import type { Events } from './events.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'

export type Calls = {
  save(change: CallChange): SaveOutcome
  find(organizationId: string, callId: string): CallRecord | undefined
}

const { toRecord } = mapTable('calls')

export const createCalls = (database: DatabaseSync, events: Events): Calls => {
  const save = createSave(database, 'calls')
  const find = database.prepare('select * from calls where organizationId = ? and callId = ?')

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
  }
}
