import type { DatabaseSync } from 'node:sqlite'
import type { Store } from '@wabakit/core'
import type { Calls } from './calls.ts'
import type { QueueNews } from './queue-news.ts'

export type EraseOptions = {
  readonly database: DatabaseSync
  readonly calls: Calls
  readonly news: QueueNews
}

/** See {@link Store.erase}. */
export const createErase = ({
  database,
  calls,
  news,
}: EraseOptions): ((request: Parameters<Store['erase']>[0]) => void) => {
  const removeParticipant = database.prepare(
    'delete from participants where organizationId = ? and groupId = ? and digits = ?',
  )
  const findQueues = database.prepare(
    `select d.subscription from events e join deliveries d on d.event = e.seq
     where e.organizationId = ? and e.id = ? and d.finishedAt is null`,
  )
  const removeEvent = database.prepare('delete from events where organizationId = ? and id = ?')

  return ({ organizationId, callIds, participants, eventIds }) => {
    for (const callId of callIds) calls.remove(organizationId, callId)
    for (const { groupId, digits } of participants) removeParticipant.run(organizationId, groupId, digits)
    for (const eventId of eventIds) {
      const queues = findQueues.all(organizationId, eventId)
      removeEvent.run(organizationId, eventId)
      for (const { subscription } of queues) news.noteChanged(Number(subscription))
    }
  }
}
