import type { EventRecord, GroupRecord, Store } from '@wabakit/core'
import { decideGroupCreation, toPage } from '@wabakit/core/storage'
import { toLikePattern } from '../like-pattern.ts'
import type { Publish } from './events.ts'
import { createNewest } from './newest-first.ts'
import type { Access } from './record-access.ts'
import { insertInto, mapTable } from './records.ts'

const { columns, toValues, toRecord, find } = mapTable('groups')

export type NewGroup = { readonly group: GroupRecord; readonly event: EventRecord }

export const createGroups = ({ database, readOwned, readPage, writeTo }: Access, publish: Publish) => {
  const insert = database.prepare(insertInto('groups', columns))
  const selectGroup = database.prepare(
    'select * from groups where organizationId = ? and clientCustomGroupId = ?',
  )

  const readNewest = createNewest(database, {
    table: 'groups',
    time: 'createdAt',
    id: 'clientCustomGroupId',
  })

  const addGroup = ({ group, event }: NewGroup): void => {
    insert.run(...toValues(group))
    publish(event)
  }

  return {
    /** Stores a new group and publishes its event, in the caller's transaction. */
    addGroup,
    createGroup: ({ group, event }) =>
      writeTo(group.organizationId, () => {
        const existing = find(selectGroup, group.organizationId, group.clientCustomGroupId)
        if (existing !== undefined) return decideGroupCreation(existing, group)
        addGroup({ group, event })
        return { outcome: 'created', group }
      }),
    findGroup: (organizationId, groupId) =>
      readOwned(organizationId, () => find(selectGroup, organizationId, groupId), undefined),
    listGroups: (query) =>
      readPage(query, () => {
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
      }),
  } satisfies Partial<Store> & { addGroup(group: NewGroup): void }
}
