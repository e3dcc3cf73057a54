import type { DatabaseSync } from 'node:sqlite'
import type { GroupCreation, GroupCreationOutcome, GroupRecord } from '@wabakit/core'
import type { Events } from './events.ts'
import { insertInto, mapTable } from './records.ts'

export type Groups = {
  create(change: GroupCreation): GroupCreationOutcome
  find(organizationId: string, groupId: string): GroupRecord | undefined
}

const { columns, toRow, toRecord } = mapTable('groups')

export const createGroups = (database: DatabaseSync, events: Events): Groups => {
  const insert = database.prepare(insertInto('groups', columns))
  const find = database.prepare('select * from groups where organizationId = ? and clientCustomGroupId = ?')

  const findGroup = (organizationId: string, groupId: string): GroupRecord | undefined => {
    const row = find.get(organizationId, groupId)
    return row && toRecord(row)
  }

  return {
    find: findGroup,
    create: ({ group, event }) => {
      const existing = findGroup(group.organizationId, group.clientCustomGroupId)
      if (existing !== undefined) {
        const isSame = group.requestHash !== null && group.requestHash === existing.requestHash
        return { outcome: isSame ? 'same' : 'conflict', group: existing }
      }
      insert.run(...Object.values(toRow(group)))
      events.publish(event)
      return { outcome: 'created', group }
    },
  }
}
