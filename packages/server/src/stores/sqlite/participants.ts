import type { DatabaseSync } from 'node:sqlite'
import type { ParticipantChange, ParticipantRecord, SaveOutcome, Store } from '@wabakit/core'
import type { Events } from './events.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'

export type Participants = {
  save(change: ParticipantChange): SaveOutcome
  find(key: Parameters<Store['findParticipant']>[0]): ParticipantRecord | undefined
  list(organizationId: string, digits: string): ParticipantRecord[]
}

const { toRecord } = mapTable('participants')

export const createParticipants = (database: DatabaseSync, events: Events): Participants => {
  const save = createSave(database, 'participants')
  const find = database.prepare(
    'select * from participants where organizationId = ? and groupId = ? and digits = ?',
  )
  const list = database.prepare('select * from participants where organizationId = ? and digits = ?')

  return {
    save: ({ participant, event }) => {
      const outcome = save(participant)
      if (outcome === 'saved') events.publish(event)
      return outcome
    },
    find: ({ organizationId, groupId, digits }) => {
      const row = find.get(organizationId, groupId, digits)
      return row && toRecord(row)
    },
    list: (organizationId, digits) => list.all(organizationId, digits).map(toRecord),
  }
}
