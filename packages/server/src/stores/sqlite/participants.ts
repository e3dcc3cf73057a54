import { RecordNotFoundError, type Store } from '@wabakit/core'
import { toPage } from '@wabakit/core/storage'
import type { Publish } from './events.ts'
import type { Access } from './record-access.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'

const { toRecord, find } = mapTable('participants')

export const createParticipants = ({ database, readOwned, readPage, writeTo }: Access, publish: Publish) => {
  const save = createSave(database, 'participants')
  const selectParticipant = database.prepare(
    'select * from participants where organizationId = ? and groupId = ? and digits = ?',
  )
  const selectGroup = database.prepare(
    'select 1 from groups where organizationId = ? and clientCustomGroupId = ?',
  )
  const list = database.prepare('select * from participants where organizationId = ? and digits = ?')

  const members = database.prepare(
    'select * from participants where organizationId = ? and groupId = ? and digits > ? order by digits limit ? + 0',
  )
  const count = database.prepare(
    "select count(*) as count from participants where organizationId = ? and groupId = ? and state = 'joined'",
  )

  return {
    countMembers: (organizationId, groupIds) =>
      readOwned(
        organizationId,
        () => groupIds.map((groupId) => Number(count.get(organizationId, groupId)?.count)),
        groupIds.map(() => 0),
      ),
    listMembers: (query) =>
      readPage(query, () => {
        const { organizationId, groupId, cursor = '', limit } = query
        return toPage({
          rows: members.all(organizationId, groupId, cursor, limit + 1),
          limit,
          toItem: toRecord,
          toCursor: ({ digits }) => String(digits),
        })
      }),
    saveParticipant: ({ participant, event }) =>
      writeTo(participant.organizationId, () => {
        const { organizationId, groupId } = participant
        if (selectGroup.get(organizationId, groupId) === undefined)
          throw new RecordNotFoundError('group', groupId)
        const outcome = save(participant)
        if (outcome === 'saved') publish(event)
        return outcome
      }),
    findParticipant: ({ organizationId, groupId, digits }) =>
      readOwned(organizationId, () => find(selectParticipant, organizationId, groupId, digits), undefined),
    listParticipants: (organizationId, digits) =>
      readOwned(organizationId, () => list.all(organizationId, digits).map(toRecord), []),
  } satisfies Partial<Store>
}
