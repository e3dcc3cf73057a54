import type { Store } from '@wabakit/core'
import type { Calls } from './calls.ts'
import type { QueueChanges } from './queue-changes.ts'
import type { Access } from './record-access.ts'

export const createErase = (
  { database, write }: Access,
  { queueChanges, removeCall }: { readonly queueChanges: QueueChanges } & Pick<Calls, 'removeCall'>,
) => {
  const removeParticipant = database.prepare(
    'delete from participants where organizationId = ? and groupId = ? and digits = ?',
  )
  const findQueues = database.prepare(
    `select d.subscription from events e join deliveries d on d.event = e.position
     where e.organizationId = ? and e.id = ? and d.finishedAt is null`,
  )
  const removeEvent = database.prepare('delete from events where organizationId = ? and id = ?')

  return {
    erase: ({ organizationId, callIds, participants, eventIds }) =>
      write(() => {
        for (const callId of callIds) removeCall(organizationId, callId)
        for (const { groupId, digits } of participants) removeParticipant.run(organizationId, groupId, digits)
        for (const eventId of eventIds) {
          const queues = findQueues.all(organizationId, eventId)
          removeEvent.run(organizationId, eventId)
          for (const { subscription } of queues) queueChanges.noteChanged(Number(subscription))
        }
      }),
  } satisfies Partial<Store>
}
