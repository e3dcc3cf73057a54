import type { DatabaseSync } from 'node:sqlite'
import type { EventRecord } from '@wabakit/core'
import type { DueTimes } from './due-times.ts'
import { mapRows } from './records.ts'

/** The unfinished deliveries of a subscription and a subject. */
export type Lane = { readonly subscription: number; readonly subject: string }

/** A subscription that receives an event. */
export type Recipient = {
  readonly subscription: number
  readonly isDisabled: boolean
}

export type Lanes = {
  /** Creates the delivery of an event to a subscription. */
  add(seq: number, event: EventRecord, recipient: Recipient): void
  /** Makes due the first waiting delivery of a lane, unless the lane is held or its event must wait for another one. */
  advance(lane: Lane, now: number): void
  /** Does the same for a lane that is not held. */
  advanceFree(lane: Lane, now: number): void
}

export type LanesOptions = {
  readonly database: DatabaseSync
  readonly dueTimes: DueTimes
  /** Called when a delivery becomes due. */
  readonly onDue: () => void
}

const heads = mapRows<{ event: number; waitsFor: string | null }>({ event: 'integer', waitsFor: 'text' })

export const createLanes = ({ database, dueTimes, onDue }: LanesOptions): Lanes => {
  const insert = database.prepare(
    `insert into deliveries (event, subscription, organizationId, subject, status, laneState, dueAt, createdAt, finishedAt,
       attempts, failures)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
  )
  const findUnfinished = database.prepare(
    'select 1 from deliveries where subscription = ? and subject = ? and laneState is not null limit 1',
  )
  const findHolder = database.prepare(
    `select 1 from deliveries where subscription = ? and subject = ? and laneState = 'holding'`,
  )
  const findFirst = database.prepare(
    `select d.event, e.waitsFor from deliveries d join events e on e.seq = d.event
     where d.subscription = ? and d.subject = ? and d.laneState = 'waiting' order by d.event limit 1`,
  )
  const findEarlier = database.prepare(
    `select 1 from deliveries d join events e on e.seq = d.event
     where d.subscription = ? and d.subject = ? and d.laneState = 'passable' and e.name = ? and d.event < ?`,
  )
  const hold = database.prepare(
    `update deliveries set status = 'pending', laneState = 'holding', dueAt = ? where event = ? and subscription = ?`,
  )

  const addDue = (subscription: number, dueAt: number): void => {
    dueTimes.add({ subscription, dueAt })
    onDue()
  }

  const advanceFree: Lanes['advanceFree'] = ({ subscription, subject }, now) => {
    const row = findFirst.get(subscription, subject)
    if (row === undefined) return
    const { event, waitsFor } = heads.toRecord(row)
    // Deliveries before the first waiting one are in progress and may be passed, except by an event that waits for them.
    if (waitsFor !== null && findEarlier.get(subscription, subject, waitsFor, event) !== undefined) return
    hold.run(now, event, subscription)
    addDue(subscription, now)
  }
  const advance: Lanes['advance'] = (lane, now) => {
    if (findHolder.get(lane.subscription, lane.subject) === undefined) advanceFree(lane, now)
  }

  return {
    advance,
    advanceFree,
    add: (seq, { organizationId, subject, occurredAt }, { subscription, isDisabled }) => {
      const key = [seq, subscription, organizationId, subject]
      if (isDisabled) {
        insert.run(...key, 'skipped', null, null, occurredAt, occurredAt)
      } else if (findUnfinished.get(subscription, subject) !== undefined) {
        insert.run(...key, 'waiting', 'waiting', null, occurredAt, null)
        advance({ subscription, subject }, occurredAt)
      } else {
        insert.run(...key, 'pending', 'holding', occurredAt, occurredAt, null)
        addDue(subscription, occurredAt)
      }
    },
  }
}
