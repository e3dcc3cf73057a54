import type { DatabaseSync } from 'node:sqlite'
import type { ParticipantChange, ParticipantKey, ParticipantRecord, SaveOutcome } from '@wabakit/core'
import * as z from 'zod/mini'
import type { Events } from './events.ts'
import { createRevisions } from './revisions.ts'

const ParticipantRow: z.ZodMiniType<ParticipantRecord> = z.object({
  organizationId: z.string(),
  groupId: z.string(),
  phone: z.string(),
  digits: z.string(),
  revision: z.number(),
  state: z.enum(['joined', 'left', 'removed']),
  changedAt: z.number(),
})

/** The table of memberships. */
export type Participants = {
  save(change: ParticipantChange): SaveOutcome
  find(key: ParticipantKey): ParticipantRecord | undefined
}

/** Makes the access to the table. */
export const createParticipants = (database: DatabaseSync, events: Events): Participants => {
  const save = createRevisions(database, {
    table: 'participants',
    key: ['organizationId', 'groupId', 'digits'],
    fields: ['revision', 'phone', 'state', 'changedAt'],
  })
  const find = database.prepare(
    'select * from participants where organizationId = ? and groupId = ? and digits = ?',
  )

  return {
    save: ({ participant, event }) => {
      const { organizationId, groupId, digits, revision, phone, state, changedAt } = participant
      const outcome = save({
        revision,
        key: [organizationId, groupId, digits],
        fields: [phone, state, changedAt],
      })
      if (outcome === 'saved') events.tell(event)
      return outcome
    },
    find: ({ organizationId, groupId, digits }) => {
      const row = find.get(organizationId, groupId, digits)
      return row && ParticipantRow.parse(row)
    },
  }
}
