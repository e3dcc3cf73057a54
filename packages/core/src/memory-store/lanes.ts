import type { DeliveryStatus } from '../records.ts'
import { createDueQueue } from './due-queue.ts'
import type { DeliveryRow, Lane, SubscriptionRow } from './tables.ts'

/** What moves deliveries through their lanes. */
export type Lanes = {
  /** Puts a row into its lane, unsettled, at the place of its order. */
  enter(row: DeliveryRow): void
  /** Makes the first waiting row of this row's lane due, if nothing holds it back; tells whether it did. */
  promote(row: DeliveryRow, now: number): boolean
  /** Makes a row of a lane due at a time. */
  makeDue(row: DeliveryRow, at: number): void
  /** Takes a row out of whatever queue it is in. */
  unqueue(row: DeliveryRow): void
  /** Lets the lane go on without this row. */
  letPass(row: DeliveryRow): void
  /** Takes a row out of its lane. */
  finish(row: DeliveryRow, status: DeliveryStatus, now: number): void
}

const laneOf = ({ owner, event }: DeliveryRow): Lane | undefined => owner.lanes.get(event.subject)

const openLane = ({ owner, event }: DeliveryRow): Lane => {
  const lane: Lane = { holder: undefined, waiting: createDueQueue(), unsettled: new Set() }
  owner.lanes.set(event.subject, lane)
  return lane
}

/** Whether the delivery that this one must not overtake is still on its way. */
const mustWait = ({ unsettled }: Lane, { event: { waitsFor } }: DeliveryRow): boolean =>
  waitsFor !== null && [...unsettled].some(({ event }) => event.name === waitsFor)

/** Makes the lanes; `onChange` is called when the queues of a subscription have changed. */
export const createLanes = (onChange: (owner: SubscriptionRow) => void): Lanes => {
  const makeDue = (row: DeliveryRow, at: number): void => {
    row.status = 'pending'
    row.at = at
    row.owner.pending.put(row)
    onChange(row.owner)
  }

  const unqueue = (row: DeliveryRow): void => {
    if (row.status === 'waiting') laneOf(row)?.waiting.remove(row)
    if (row.status === 'pending') row.owner.pending.remove(row)
    if (row.status === 'claimed') row.owner.leased.remove(row)
    onChange(row.owner)
  }

  const letPass = (row: DeliveryRow): void => {
    const lane = laneOf(row)
    if (lane?.holder === row) lane.holder = undefined
  }

  return {
    makeDue,
    unqueue,
    letPass,
    enter: (row) => {
      const lane = laneOf(row) ?? openLane(row)
      lane.unsettled.add(row)
      row.status = 'waiting'
      row.at = 0
      lane.waiting.put(row)
    },
    promote: (row, now) => {
      const lane = laneOf(row)
      const next = lane?.waiting.peek()
      if (lane === undefined || next === undefined) return false
      if (lane.holder !== undefined || mustWait(lane, next)) return false
      lane.waiting.remove(next)
      lane.holder = next
      makeDue(next, now)
      return true
    },
    finish: (row, status, now) => {
      unqueue(row)
      letPass(row)
      row.status = status
      row.settledAt = now
      const lane = laneOf(row)
      lane?.unsettled.delete(row)
      if (lane?.unsettled.size === 0) row.owner.lanes.delete(row.event.subject)
    },
  }
}
