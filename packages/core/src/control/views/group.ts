import { JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { GroupRecord, ParticipantRecord } from '../../index.ts'
import { named, Utc } from '../schemas.ts'

const group = {
  groupId: z.string(),
  wabaNumber: z.string(),
  subject: z.string(),
  description: z.nullable(z.string()),
  joinApprovalMode: JoinApprovalMode,
  inviteLink: z.nullable(z.string()),
  createdAt: Utc,
}

export const GroupView = named('Group', 'A group, with the defaults for omitted fields.', z.object(group))

export const ListedGroupView = named(
  'ListedGroup',
  'A group. `members` counts the participants who are in it now.',
  z.object({ ...group, members: z.number() }),
)

export const showGroup = (record: GroupRecord) =>
  z.encode(GroupView, { ...record, groupId: record.clientCustomGroupId })

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

export const showParticipant = (record: ParticipantRecord) => z.encode(ParticipantView, record)
