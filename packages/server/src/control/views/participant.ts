import { UtcTimestamp } from '@wabakit/contract'
import type { ParticipantRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { utc } from './times.ts'

export const ParticipantView = named(
  'Participant',
  "A person's membership in a group.",
  z.object({
    groupId: z.string(),
    phone: z.string(),
    state: z.enum(['joined', 'left', 'removed']),
    changedAt: UtcTimestamp,
  }),
)

export const showParticipant = (record: ParticipantRecord): z.infer<typeof ParticipantView> => ({
  groupId: record.groupId,
  phone: record.phone,
  state: record.state,
  changedAt: utc(record.changedAt),
})
