import { JoinApprovalMode, UtcTimestamp } from '@wabakit/contract'
import type { GroupRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { utc } from './times.ts'

export const GroupView = named(
  'Group',
  'A group, with the defaults for omitted fields.',
  z.object({
    groupId: z.string(),
    wabaNumber: z.string(),
    subject: z.string(),
    description: z.nullable(z.string()),
    joinApprovalMode: JoinApprovalMode,
    inviteLink: z.nullable(z.string()),
    createdAt: UtcTimestamp,
  }),
)

export const showGroup = (record: GroupRecord): z.infer<typeof GroupView> => ({
  groupId: record.clientCustomGroupId,
  wabaNumber: record.wabaNumber,
  subject: record.subject,
  description: record.description,
  joinApprovalMode: record.joinApprovalMode,
  inviteLink: record.inviteLink,
  createdAt: utc(record.createdAt),
})
