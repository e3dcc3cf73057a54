import type { DatabaseSync } from 'node:sqlite'
import type { GroupCreation, GroupCreationOutcome, GroupQuery, GroupRecord, Page } from '@wabakit/core'
import { toLikePattern, toPage } from '../page.ts'
import type { Events } from './events.ts'
import { createNewest } from './newest.ts'
import { insertInto, mapTable } from './records.ts'

export type Groups = {
  create(change: GroupCreation): GroupCreationOutcome
  find(organizationId: string, groupId: string): GroupRecord | undefined
  list(query: GroupQuery): Page<GroupRecord>
}

const { columns, toRow, toRecord } = mapTable('groups')

export const createGroups = (database: DatabaseSync, events: Events): Groups => {
  const insert = database.prepare(insertInto('groups', columns))
  const find = database.prepare('select * from groups where organizationId = ? and clientCustomGroupId = ?')

  const readNewest = createNewest(database, {
    table: 'groups',
    time: 'createdAt',
    id: 'clientCustomGroupId',
  })

  const findGroup = (organizationId: string, groupId: string): GroupRecord | undefined => {
    const row = find.get(organizationId, groupId)
    return row && toRecord(row)
  }

  return {
    find: findGroup,
    list: (query) => {
      const pattern = query.text && toLikePattern(query.text)
      return toPage({
        ...readNewest(query, {
          "(clientCustomGroupId like ? escape '\\' or subject like ? escape '\\')": pattern && [
            pattern,
            pattern,
          ],
        }),
        toItem: toRecord,
      })
    },
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
