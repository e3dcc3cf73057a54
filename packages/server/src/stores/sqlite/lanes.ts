import type { EventRecord, PendingDelivery } from '@wabakit/core'
import { formatDeliveryId } from '../delivery-key.ts'
import type { QueueChanges } from './queue-changes.ts'
import type { Access } from './record-access.ts'

const ofLane = (row: string): string =>
  `${row}.subscription = d.subscription and ${row}.subject = d.subject and ${row}.finishedAt is null`

/** SQL condition: an unattempted delivery `d` is the head of its lane. See {@link DeliveryQueue}. */
export const isHead = `(
  not exists (select 1 from deliveries b where ${ofLane('b')} and b.state = 'fresh' and b.event < d.event)
  and not exists (select 1 from deliveries b where ${ofLane('b')} and b.state = 'started' and b.event < d.event)
  and (d.waitsFor is null or not exists (
    select 1 from deliveries b cross join events w on w.position = b.event and w.name = d.waitsFor
    where ${ofLane('b')} and b.state = 'passable' and b.event < d.event
  ))
)`

/** SQL condition: a delivery `d` has been attempted but is not finished. */
export const isRetry = `d.state in ('started', 'passable')`

/** A subscription that receives an event. */
export type Recipient = {
  readonly subscription: number
  readonly isDisabled: boolean
}

export type Lanes = ReturnType<typeof createLanes>

/** Returns the part of a row that a scheduler holds. */
export const toPending = (
  subscription: number,
  { event, dueAt, version }: Readonly<Record<string, unknown>>,
): PendingDelivery => ({
  id: formatDeliveryId({ event: Number(event), subscription }),
  position: Number(event),
  dueAt: Number(dueAt),
  version: Number(version),
})

export const createLanes = ({ database }: Access, queueChanges: QueueChanges) => {
  const insert = database.prepare(
    `insert into deliveries (event, subscription, organizationId, subject, waitsFor, state, dueAt, finishedAt)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const findFirst = database.prepare(
    `select d.event, d.dueAt, d.version, ${isHead} as isHead from deliveries d indexed by lanes
     where d.subscription = ? and d.subject = ? and d.state = 'fresh' and d.finishedAt is null order by d.event limit 1`,
  )
  const findUnfinished = database.prepare(
    'select 1 from deliveries where subscription = ? and subject = ? and finishedAt is null limit 1',
  )
  const findHead = (subscription: number, subject: string): PendingDelivery | undefined => {
    const row = findFirst.get(subscription, subject)
    return row?.isHead === 1 ? toPending(subscription, row) : undefined
  }

  return {
    findHead,
    /** Adds the delivery of an event to a subscription. */
    add: (position: number, event: EventRecord, { subscription, isDisabled }: Recipient): void => {
      const { organizationId, subject, waitsFor, occurredAt } = event
      const key = [position, subscription, organizationId, subject, waitsFor]
      if (isDisabled) {
        insert.run(...key, 'skipped', null, occurredAt)
        return
      }
      const isAlone = findUnfinished.get(subscription, subject) === undefined
      insert.run(...key, 'fresh', occurredAt, null)
      const added = toPending(subscription, { event: position, dueAt: occurredAt, version: 0 })
      const isFirst = isAlone || findHead(subscription, subject)?.position === position
      queueChanges.noteAdded(subscription, position, isFirst ? added : undefined)
    },
  }
}
