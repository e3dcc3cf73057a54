import type { DatabaseSync } from 'node:sqlite'
import { JoinApprovalMode } from '@wabakit/contract'
import type { GroupCreation, GroupCreationOutcome, GroupRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import type { Events } from './events.ts'

const GroupRow: z.ZodMiniType<GroupRecord> = z.object({
  organizationId: z.string(),
  clientCustomGroupId: z.string(),
  requestHash: z.nullable(z.string()),
  wabaNumber: z.string(),
  digits: z.string(),
  subject: z.string(),
  description: z.nullable(z.string()),
  joinApprovalMode: JoinApprovalMode,
  inviteLink: z.nullable(z.string()),
  createdAt: z.number(),
})

/** The table of groups. */
export type Groups = {
  create(change: GroupCreation): GroupCreationOutcome
  find(organizationId: string, groupId: string): GroupRecord | undefined
}

/** Makes the access to the table. */
export const createGroups = (database: DatabaseSync, events: Events): Groups => {
  const insert = database.prepare(
    `insert into groups (organizationId, clientCustomGroupId, requestHash, wabaNumber, digits, subject, description,
       joinApprovalMode, inviteLink, createdAt)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const find = database.prepare('select * from groups where organizationId = ? and clientCustomGroupId = ?')

  const findGroup = (organizationId: string, groupId: string): GroupRecord | undefined => {
    const row = find.get(organizationId, groupId)
    return row && GroupRow.parse(row)
  }

  return {
    find: findGroup,
    create: ({ group, event }) => {
      const existing = findGroup(group.organizationId, group.clientCustomGroupId)
      if (existing !== undefined) {
        const isSame = group.requestHash !== null && group.requestHash === existing.requestHash
        return { outcome: isSame ? 'same' : 'conflict', group: existing }
      }
      insert.run(
        group.organizationId,
        group.clientCustomGroupId,
        group.requestHash,
        group.wabaNumber,
        group.digits,
        group.subject,
        group.description,
        group.joinApprovalMode,
        group.inviteLink,
        group.createdAt,
      )
      events.tell(event)
      return { outcome: 'created', group }
    },
  }
}
