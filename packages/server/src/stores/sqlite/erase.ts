import type { DatabaseSync } from 'node:sqlite'
import type { ErasureRequest } from '@wabakit/core'
import type { Calls } from './calls.ts'
import type { DueTimes } from './due-times.ts'
import type { Lanes } from './lanes.ts'
import type { Leases } from './leases.ts'

export type EraseOptions = {
  readonly database: DatabaseSync
  readonly calls: Calls
  readonly lanes: Lanes
  readonly dueTimes: DueTimes
  readonly leases: Leases
}

/** See {@link Store.erase}. */
export const createErase = ({
  database,
  calls,
  lanes,
  dueTimes,
  leases,
}: EraseOptions): ((request: ErasureRequest) => void) => {
  const removeParticipant = database.prepare(
    'delete from participants where organizationId = ? and groupId = ? and digits = ?',
  )
  const findLanes = database.prepare(
    `select d.event, d.subscription, d.subject from events e join deliveries d on d.event = e.seq
     where e.organizationId = ? and e.id = ? and d.laneState is not null`,
  )
  const removeEvent = database.prepare('delete from events where organizationId = ? and id = ?')

  return ({ organizationId, callIds, participants, eventIds, now }) => {
    for (const callId of callIds) calls.remove(organizationId, callId)
    for (const { groupId, digits } of participants) removeParticipant.run(organizationId, groupId, digits)
    for (const eventId of eventIds) {
      const left = findLanes.all(organizationId, eventId)
      removeEvent.run(organizationId, eventId)
      for (const { event, subscription, subject } of left) {
        leases.remove({ event: Number(event), subscription: Number(subscription) })
        lanes.advance({ subscription: Number(subscription), subject: String(subject) }, now)
        // A slot of the subscription may be free.
        dueTimes.wake(Number(subscription))
      }
    }
  }
}
