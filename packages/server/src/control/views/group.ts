import { JoinApprovalMode } from '@wabakit/contract'
import type { GroupRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { Utc } from './times.ts'

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
    createdAt: Utc,
  }),
)

export const showGroup = (record: GroupRecord): z.input<typeof GroupView> =>
  z.encode(GroupView, { ...record, groupId: record.clientCustomGroupId })
