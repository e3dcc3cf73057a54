import type { AttemptRecord, DeliveryRecord, DisabledReason, EventRecord } from '../records.ts'
import { blockingFailures } from './schedule.ts'

/**
 * Why a delivery is unfinished, or was skipped.
 * - `event`: its event must follow an earlier event whose delivery is unfinished.
 * - `lane`: another delivery blocks its lane, or precedes it in the lane.
 * - `retry`: its next attempt is due later.
 * - `deferred`: its next attempt is due later, because the endpoint deferred the last one.
 * - `attempting`: it is being attempted.
 * - `endpoint`: it is due, but its endpoint has other attempts under way. A new or failing endpoint gets one at a time.
 * - `limit`: it is due, but its subscription has a maximum number of attempts per second.
 * - `slot`: it is due, and a worker will take it as soon as it can.
 * - `disabled`: it was skipped, and its subscription is still disabled.
 */
export type Wait =
  | { readonly reason: 'event' | 'lane'; readonly delivery: DeliveryRecord }
  | { readonly reason: 'retry' | 'deferred' | 'attempting'; readonly until: number }
  | { readonly reason: 'endpoint' | 'slot' }
  | { readonly reason: 'limit'; readonly maxAttemptsPerSecond: number }
  | { readonly reason: 'disabled'; readonly disabledReason: DisabledReason }

/** The circumstances of a delivery. @inline */
export type Surroundings = {
  readonly now: number
  /** The deliveries of the same subscription and subject, in the order of their events. */
  readonly lane: readonly DeliveryRecord[]
  readonly waitsFor: EventRecord['waitsFor']
  /** The delivery's last attempt, if it has one. Only a pending delivery needs it. */
  readonly lastAttempt: AttemptRecord | undefined
  /** Why its subscription is disabled; `null` while it is enabled. */
  readonly disabledReason: DisabledReason | null
  readonly maxAttemptsPerSecond: number | null
  /** Set if this process is attempting another delivery of the subscription. */
  readonly isEndpointBusy: boolean
}

/** The reasons why the next delivery of a queue waits, as its scheduler knows them. */
export type QueueWait =
  | { readonly reason: 'retry'; readonly until: number }
  | { readonly reason: 'limit'; readonly until: number }
  | { readonly reason: 'endpoint' | 'slot' }

const endpoint = { reason: 'endpoint' } as const
const slot = { reason: 'slot' } as const

type QueueTimes = { readonly dueAt: number; readonly startAt: number; readonly isFull: boolean }

/**
 * Returns why the next delivery of a queue waits. `startAt` is the time from which its limit allows the next start, and
 * its results can probably be stored. `isFull` is set if the queue has its maximum number of deliveries under way.
 * {@link explainWait}, which does not know that number, sets it if any other attempt is under way.
 */
export const decideWait = (now: number, { dueAt, startAt, isFull }: QueueTimes): QueueWait => {
  const until = Math.max(dueAt, startAt)
  if (until > now) return { reason: dueAt > now ? 'retry' : 'limit', until }
  return isFull ? endpoint : slot
}

const explainPending = (delivery: DeliveryRecord, surroundings: Surroundings): Wait => {
  const { now, lastAttempt, maxAttemptsPerSecond: limit, isEndpointBusy: isFull } = surroundings
  const dueAt = delivery.dueAt ?? now
  // Only the scheduler knows when a limit allows the next start. Therefore, the reason is always `limit` for
  // a due delivery of a subscription that has one.
  const wait = decideWait(now, { dueAt, startAt: limit === null ? now : Infinity, isFull })
  if (wait.reason === 'limit') return limit === null ? slot : { reason: 'limit', maxAttemptsPerSecond: limit }
  if (wait.reason !== 'retry') return wait
  return { reason: lastAttempt?.deferred ? 'deferred' : 'retry', until: dueAt }
}

const isUnfinished = ({ finishedAt }: DeliveryRecord): boolean => finishedAt === null

const blocksLane = ({ status, failures }: DeliveryRecord): boolean =>
  (status === 'pending' || status === 'attempting') && failures < blockingFailures

const explainWaiting = (
  delivery: DeliveryRecord,
  { lane, waitsFor }: Pick<Surroundings, 'lane' | 'waitsFor'>,
): Wait => {
  const index = lane.findIndex(({ id }) => id === delivery.id)
  const earlier = lane.slice(0, Math.max(0, index)).filter(isUnfinished)
  const blocker = lane.find((each) => each.id !== delivery.id && blocksLane(each))
  const awaited = earlier.find(({ eventName }) => eventName === waitsFor)
  if (awaited !== undefined) return { reason: 'event', delivery: awaited }
  const before = blocker ?? earlier.find(({ status }) => status === 'waiting')
  return before === undefined ? { reason: 'slot' } : { reason: 'lane', delivery: before }
}

/**
 * Returns why a delivery waits, or that it was skipped and its subscription is still disabled; `undefined` for any
 * other finished delivery.
 */
export const explainWait = (delivery: DeliveryRecord, surroundings: Surroundings): Wait | undefined => {
  const { status, dueAt } = delivery
  const { now, disabledReason } = surroundings
  switch (status) {
    case 'waiting':
      return explainWaiting(delivery, surroundings)
    case 'attempting':
      return { reason: 'attempting', until: dueAt ?? now }
    case 'pending':
      return explainPending(delivery, surroundings)
    case 'skipped':
      return disabledReason === null ? undefined : { reason: 'disabled', disabledReason }
    case 'delivered':
    case 'exhausted':
      return undefined
  }
  return status satisfies never
}
