import type { DeliveryStatus } from '../records.ts'
import { createDueQueue } from './due-queue.ts'
import type { DeliveryRow, Lane, SubscriptionRow } from './tables.ts'

/** What moves deliveries through their lanes. */
export type Lanes = {
  /** Puts a row into its lane, unsettled, at the place of its order; due now if nothing holds it back. */
  enter(row: DeliveryRow, now: number): void
  /** Makes the first waiting row of a lane due now, if nothing holds it back. */
  promote(lane: Lane, now: number): void
  /** Makes a row due at a time. */
  makeDue(row: DeliveryRow, at: number): void
  /** Takes a row out of whatever queue it is in. */
  unqueue(row: DeliveryRow): void
  /** Lets the lane go on without this row. */
  letPass(row: DeliveryRow): void
  /** Takes a row out of its lane. */
  finish(row: DeliveryRow, status: DeliveryStatus, now: number): void
}

const laneFor = ({ owner, event: { subject } }: DeliveryRow): Lane => {
  const known = owner.lanes.get(subject)
  if (known !== undefined) return known
  const lane: Lane = { subject, holder: undefined, waiting: undefined, unsettled: new Set() }
  owner.lanes.set(subject, lane)
  return lane
}

/** Whether the delivery that this one must not overtake is still on its way. */
const mustWait = ({ unsettled }: Lane, { order, event: { waitsFor } }: DeliveryRow): boolean =>
  waitsFor !== null && [...unsettled].some((other) => other.event.name === waitsFor && other.order < order)

/** What {@link createLanes} tells. */
export type LanesContext = {
  /** The queues of a subscription have changed. */
  onChange(owner: SubscriptionRow): void
  /** A delivery became due. */
  onDue(): void
}

/** Makes the lanes. */
export const createLanes = ({ onChange, onDue }: LanesContext): Lanes => {
  const unqueue = (row: DeliveryRow): void => {
    if (row.status === 'waiting') row.lane?.waiting?.remove(row)
    if (row.status === 'pending') row.owner.pending.remove(row)
    if (row.status === 'claimed') row.owner.leased.remove(row)
    onChange(row.owner)
  }

  const letPass = (row: DeliveryRow): void => {
    if (row.lane?.holder === row) row.lane.holder = undefined
  }

  const hold = (lane: Lane, row: DeliveryRow, now: number): void => {
    lane.holder = row
    row.status = 'pending'
    row.at = now
    row.owner.pending.put(row)
    onChange(row.owner)
    onDue()
  }

  const promote = (lane: Lane, now: number): void => {
    const next = lane.waiting?.peek()
    if (next === undefined || lane.holder !== undefined || mustWait(lane, next)) return
    lane.waiting?.remove(next)
    hold(lane, next, now)
  }

  return {
    unqueue,
    letPass,
    enter: (row, now) => {
      const lane = laneFor(row)
      row.lane = lane
      row.failures = 0
      const isFree = lane.holder === undefined && lane.waiting?.peek() === undefined && !mustWait(lane, row)
      lane.unsettled.add(row)
      if (isFree) {
        hold(lane, row, now)
      } else {
        row.status = 'waiting'
        row.at = 0
        // Most lanes never have more than one delivery at a time.
        lane.waiting ??= createDueQueue()
        lane.waiting.put(row)
        promote(lane, now)
      }
    },
    makeDue: (row, at) => {
      row.status = 'pending'
      row.at = at
      row.owner.pending.put(row)
      onChange(row.owner)
    },
    promote,
    finish: (row, status, now) => {
      unqueue(row)
      letPass(row)
      row.status = status
      row.finishedAt = now
      const { lane } = row
      row.lane = undefined
      lane?.unsettled.delete(row)
      if (lane?.unsettled.size === 0) row.owner.lanes.delete(lane.subject)
    },
  }
}
