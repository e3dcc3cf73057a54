import type { ParticipantRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { Utc } from './times.ts'

export const ParticipantView = named(
  'Participant',
  "A person's membership in a group.",
  z.object({
    groupId: z.string(),
    phone: z.string(),
    state: z.enum(['joined', 'left', 'removed']),
    changedAt: Utc,
  }),
)

export const showParticipant = (record: ParticipantRecord): z.input<typeof ParticipantView> =>
  z.encode(ParticipantView, record)
