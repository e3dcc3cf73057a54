import type { DeliveryStatus } from '../records.ts'
import { createDueQueue, type DeliveryRow, type Lane, type SubscriptionRow } from './tables.ts'

/** Moves deliveries through their lanes. */
export type Lanes = {
  /** Adds an unfinished row to its lane, in its order. It is due now if nothing blocks it. */
  enter(row: DeliveryRow, now: number): void
  /** Sets the first waiting row of a lane due now if nothing blocks it. */
  promote(lane: Lane, now: number): void
  /** Sets the time at which a row is due. */
  makeDue(row: DeliveryRow, at: number): void
  /** Removes a row from the queue that it is in. */
  unqueue(row: DeliveryRow): void
  /** Lets other rows of the lane overtake this one. */
  unblock(row: DeliveryRow): void
  /** Gives a row a final status and removes it from its lane. */
  finish(row: DeliveryRow, status: DeliveryStatus, now: number): void
}

const getLane = ({ owner, event: { subject } }: DeliveryRow): Lane => {
  const known = owner.lanes.get(subject)
  if (known !== undefined) return known
  const lane: Lane = { subject, blocker: undefined, waiting: undefined, unfinished: new Set() }
  owner.lanes.set(subject, lane)
  return lane
}

/** Returns whether the delivery that this one must not overtake is unfinished. */
const mustWait = ({ unfinished }: Lane, { order, event: { waitsFor } }: DeliveryRow): boolean =>
  waitsFor !== null && [...unfinished].some((other) => other.event.name === waitsFor && other.order < order)

export type LanesContext = {
  /** Called when the queues of a subscription have changed. */
  onChange(owner: SubscriptionRow): void
  /** Called when a delivery becomes due. */
  onDue(): void
}

export const createLanes = ({ onChange, onDue }: LanesContext): Lanes => {
  const unqueue = (row: DeliveryRow): void => {
    if (row.status === 'waiting') row.lane?.waiting?.remove(row)
    if (row.status === 'pending') row.owner.pending.remove(row)
    if (row.status === 'claimed') row.owner.leased.remove(row)
    onChange(row.owner)
  }

  const unblock = (row: DeliveryRow): void => {
    if (row.lane?.blocker === row) row.lane.blocker = undefined
  }

  const block = (lane: Lane, row: DeliveryRow, now: number): void => {
    lane.blocker = row
    row.status = 'pending'
    row.at = now
    row.owner.pending.put(row)
    onChange(row.owner)
    onDue()
  }

  const promote = (lane: Lane, now: number): void => {
    const next = lane.waiting?.peek()
    if (next === undefined || lane.blocker !== undefined || mustWait(lane, next)) return
    lane.waiting?.remove(next)
    block(lane, next, now)
  }

  return {
    unqueue,
    unblock,
    enter: (row, now) => {
      const lane = getLane(row)
      row.lane = lane
      row.failures = 0
      row.deferrals = 0
      row.deferredMs = 0
      const isFree = lane.blocker === undefined && lane.waiting?.peek() === undefined && !mustWait(lane, row)
      lane.unfinished.add(row)
      if (isFree) {
        block(lane, row, now)
      } else {
        row.status = 'waiting'
        row.at = 0
        // Most lanes never contain more than one delivery.
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
      unblock(row)
      row.status = status
      row.finishedAt = now
      const { lane } = row
      row.lane = undefined
      lane?.unfinished.delete(row)
      if (lane?.unfinished.size === 0) row.owner.lanes.delete(lane.subject)
    },
  }
}
