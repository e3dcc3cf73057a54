import type { DatabaseSync } from 'node:sqlite'
import type { EventRecord } from '@wabakit/core'
import type { DueTimes } from './due-times.ts'
import { mapRows } from './records.ts'

/** The unsettled deliveries of a subscription and a subject. */
export type Lane = { readonly subscription: number; readonly subject: string }

/** A subscription that matches an event. */
export type Recipient = {
  readonly subscription: number
  readonly isDisabled: boolean
  /** Whether its lane has an unsettled delivery. */
  readonly isLaneTaken: boolean
}

/** What moves deliveries through their lanes. */
export type Lanes = {
  /** Makes the delivery of an event to a subscription. */
  enter(seq: number, event: EventRecord, recipient: Recipient): void
  /** Makes the first that waits in a lane due, unless another holds the lane or it must wait for another. */
  advance(lane: Lane, now: number): void
  /** Settles all of a subscription as skipped. */
  skipAll(subscription: number, now: number): void
}

/** What {@link createLanes} works with. */
export type LanesContext = {
  readonly database: DatabaseSync
  readonly dueTimes: DueTimes
  /** Called when a delivery became due. */
  readonly onDue: () => void
}

const heads = mapRows<{ event: number; waitsFor: string | null }>({ event: 'integer', waitsFor: 'text' })

/** Makes the lanes of a database. */
export const createLanes = ({ database, dueTimes, onDue }: LanesContext): Lanes => {
  const insert = database.prepare(
    `insert into deliveries (event, subscription, organizationId, subject, status, place, dueAt, createdAt, finishedAt,
       attempts, failures)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
  )
  const findHolder = database.prepare(
    `select 1 from deliveries where subscription = ? and subject = ? and place = 'holding'`,
  )
  const findFirst = database.prepare(
    `select d.event, e.waitsFor from deliveries d join events e on e.seq = d.event
     where d.subscription = ? and d.subject = ? and d.place = 'waiting' order by d.event limit 1`,
  )
  const findEarlier = database.prepare(
    `select 1 from deliveries d join events e on e.seq = d.event
     where d.subscription = ? and d.subject = ? and d.place = 'passable' and e.name = ? and d.event < ?`,
  )
  const hold = database.prepare(
    `update deliveries set status = 'pending', place = 'holding', dueAt = ? where event = ? and subscription = ?`,
  )
  const skip = database.prepare(
    `update deliveries set status = 'skipped', place = null, dueAt = null, finishedAt = ?
     where subscription = ? and place is not null`,
  )

  const noteDue = (subscription: number, dueAt: number): void => {
    dueTimes.note({ subscription, dueAt })
    onDue()
  }

  const advance = ({ subscription, subject }: Lane, now: number): void => {
    if (findHolder.get(subscription, subject) !== undefined) return
    const row = findFirst.get(subscription, subject)
    if (row === undefined) return
    const { event, waitsFor } = heads.toRecord(row)
    // What comes before the first one that waits is on its way, and others may pass it.
    if (waitsFor !== null && findEarlier.get(subscription, subject, waitsFor, event) !== undefined) return
    hold.run(now, event, subscription)
    noteDue(subscription, now)
  }

  return {
    advance,
    enter: (seq, { organizationId, subject, occurredAt }, { subscription, isDisabled, isLaneTaken }) => {
      const key = [seq, subscription, organizationId, subject]
      if (isDisabled) {
        insert.run(...key, 'skipped', null, null, occurredAt, occurredAt)
      } else if (isLaneTaken) {
        insert.run(...key, 'waiting', 'waiting', null, occurredAt, null)
        advance({ subscription, subject }, occurredAt)
      } else {
        insert.run(...key, 'pending', 'holding', occurredAt, occurredAt, null)
        noteDue(subscription, occurredAt)
      }
    },
    skipAll: (subscription, now) => {
      skip.run(now, subscription)
    },
  }
}
