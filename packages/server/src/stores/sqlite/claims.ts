import type { DatabaseSync } from 'node:sqlite'
import type { ClaimedDelivery, ClaimRequest, DeliveryRecord, Pace, SubscriptionRecord } from '@wabakit/core'
import { createTurns, type Turns } from '@wabakit/core/storage'
import { formatDeliveryId } from '../delivery-id.ts'
import type { DueTimes } from './due-times.ts'
import type { Lease, Leases } from './leases.ts'
import type { Candidate, Pending } from './pending.ts'
import { mapRows, mapTable } from './records.ts'
import type { Subscriptions } from './subscriptions.ts'
import { revert, type Undo } from './undo.ts'

/** Claims what is due. */
export type Claims = {
  /** See {@link Store.claimDeliveries}. */
  claim(request: ClaimRequest): ClaimedDelivery[]
  /** Must be called when the pace of a subscription has changed. */
  notePace(subscription: number): void
}

/** A subscription in the course of a claim. */
type Queue = {
  readonly subscription: number
  readonly organizationId: string
  /** `undefined` if it was removed. */
  readonly record: SubscriptionRecord | undefined
  readonly pace: Pace
  /** How many more it may have under lease. */
  slots: number
  /** Whether one was leased in this claim. */
  isLeased: boolean
  /** The first that are pending or claimed, as far as they were read. */
  candidates: Candidate[]
  /** How many to read the next time: few at first, since another subscription may be due earlier. */
  chunk: number
  /** Whether nothing comes after the candidates. */
  isWhole: boolean
}

export type ClaimsContext = {
  readonly database: DatabaseSync
  /** @throws StorageUnavailableError if another server has taken the database over. */
  checkOwner(): void
  readonly dueTimes: DueTimes
  readonly leases: Leases
  readonly pending: Pending
  readonly findSubscription: Subscriptions['findState']
  readonly undo: Undo
}

type StoredState = 'webhookId' | 'attempts' | 'failures' | 'deferrals' | 'deferredMs' | 'createdAt'
const pendingRows = mapRows<Pick<Lease, 'laneState'> & Pick<DeliveryRecord, StoredState>>({
  laneState: 'text',
  webhookId: 'text',
  attempts: 'integer',
  failures: 'integer',
  deferrals: 'integer',
  deferredMs: 'integer',
  createdAt: 'integer',
})
const events = mapTable('events')

const none: ReadonlySet<string> = new Set()

/** Claims the deliveries of a database. It writes nothing. */
export const createClaims = (context: ClaimsContext): Claims => {
  const { database, checkOwner, dueTimes, leases, pending, findSubscription, undo } = context
  const begin = database.prepare('begin')
  const rollback = database.prepare('rollback')
  const read = database.prepare(
    `select e.*, coalesce(d.webhookId, e.id) as webhookId, d.laneState, d.attempts, d.failures, d.deferrals, d.deferredMs,
       d.createdAt
     from deliveries d join events e on e.seq = d.event
     where d.event = ? and d.subscription = ? and d.status = 'pending'`,
  )

  /** Subscriptions that have something due, as far as it is known. */
  const ready = {
    quick: createTurns<number>(),
    suspect: createTurns<number>(),
    failing: createTurns<number>(),
  }
  /** Those of them that wait until one of their leases ends. */
  const withoutSlots = new Set<number>()
  let limits = ''

  const listActive = (subscription: number, { now }: ClaimRequest): Lease[] =>
    leases.list(subscription).filter(({ until }) => until > now)

  const openQueue = (subscription: number, request: ClaimRequest): Queue => {
    const { record, pace = 'new' } = findSubscription(subscription) ?? {}
    const isAlone = request.suspects !== undefined && (pace === 'new' || pace === 'failing')
    return {
      subscription,
      organizationId: record?.organizationId ?? '',
      record,
      pace,
      slots: (isAlone ? 1 : request.perSubscription) - listActive(subscription, request).length,
      isLeased: false,
      candidates: [],
      chunk: 2,
      isWhole: record?.disabledReason !== null,
    }
  }
  const getTurns = ({ pace }: Queue): Turns<number> =>
    pace === 'quick' || pace === 'failing' ? ready[pace] : ready.suspect
  const allTurns = Object.values(ready)

  const findNext = (queue: Queue, { limit, now }: ClaimRequest): Candidate | undefined => {
    const { candidates, chunk, isWhole, subscription } = queue
    if (candidates.length > 0 || isWhole) return candidates[0]
    queue.candidates = pending.findNext(subscription, chunk, now)
    queue.isWhole = queue.candidates.length < chunk
    queue.chunk = Math.max(queue.chunk, limit)
    return queue.candidates[0]
  }

  /** Claims a candidate. Returns nothing if it is no longer pending: its lease remained. */
  const take = (
    queue: Queue,
    candidate: Candidate,
    { claimId, now, leaseMs }: ClaimRequest,
  ): ClaimedDelivery | undefined => {
    const { subscription, record } = queue
    const { event } = candidate
    queue.candidates.shift()
    const key = { event, subscription }
    const row = read.get(event, subscription)
    if (row === undefined || record === undefined) {
      leases.remove(key)
      return undefined
    }
    if (leases.find(key) === undefined) pending.passOver(subscription, candidate)
    const until = now + leaseMs
    const eventRecord = events.toRecord(row)
    const { id: eventId, name: eventName, organizationId, subject } = eventRecord
    const { laneState, ...stored } = pendingRows.toRecord(row)
    const delivery: DeliveryRecord = {
      ...stored,
      ...{ organizationId, eventId, eventName, subject },
      id: formatDeliveryId(key),
      subscriptionId: record.id,
      status: 'claimed',
      dueAt: until,
      finishedAt: null,
    }
    leases.add({ event, subscription, claimId, until, delivery, laneState })
    queue.slots--
    queue.isLeased = true
    return { delivery, event: eventRecord, subscription: record, pace: queue.pace }
  }

  /** Takes a subscription that has nothing more to claim out of the turns, and says when to look at it again. */
  const putOff = (queue: Queue, request: ClaimRequest): void => {
    const { now, leaseMs } = request
    const { subscription, slots, isLeased } = queue
    getTurns(queue).delete(subscription)
    const next = Math.min(findNext(queue, request)?.dueAt ?? Infinity, isLeased ? now + leaseMs : Infinity)
    if (next > now || slots > 0) {
      dueTimes.defer(subscription, next)
    } else {
      withoutSlots.add(subscription)
      const ends = listActive(subscription, request).map(({ until }) => until)
      dueTimes.defer(subscription, next, ends.length > 0 ? Math.min(...ends) : next)
    }
  }

  /** Slots depend on the request: whoever asks for more than before gets them. */
  const noteLimits = ({ perSubscription, suspects }: ClaimRequest): void => {
    const wanted = `${perSubscription} ${suspects !== undefined}`
    if (wanted !== limits) for (const subscription of withoutSlots) dueTimes.wake(subscription)
    limits = wanted
  }

  /** On its own, each read would lock the file and unlock it. A claim that finds nothing due in memory reads nothing. */
  const beginReading = (): void => {
    if (database.isTransaction) return
    begin.run()
    checkOwner()
  }

  const claim: Claims['claim'] = (request) => {
    const { now, limit, suspects } = request
    const queues = new Map<number, Queue>()
    const getQueue = (subscription: number): Queue => {
      const queue = queues.get(subscription) ?? openQueue(subscription, request)
      queues.set(subscription, queue)
      return queue
    }

    const addReady = (): void => {
      for (;;) {
        const subscription = dueTimes.takeDue(now)
        if (subscription === undefined) return
        withoutSlots.delete(subscription)
        if (allTurns.some((turns) => turns.has(subscription))) continue
        const queue = getQueue(subscription)
        getTurns(queue).add(queue.organizationId, subscription)
      }
    }

    const takeFrom = (turns: Turns<number>, most: number, except = none): ClaimedDelivery[] => {
      const taken: ClaimedDelivery[] = []
      while (taken.length < most) {
        const subscription = turns.next(except)
        if (subscription === undefined) break
        beginReading()
        const queue = getQueue(subscription)
        const next = findNext(queue, request)
        if (getTurns(queue) !== turns) {
          // Its pace has changed since.
          turns.delete(subscription)
          getTurns(queue).add(queue.organizationId, subscription)
        } else if (next === undefined || next.dueAt > now || queue.slots <= 0) {
          putOff(queue, request)
        } else {
          const claimed = take(queue, next, request)
          if (claimed !== undefined) taken.push(claimed)
        }
      }
      return taken
    }

    try {
      noteLimits(request)
      addReady()
      const quick = takeFrom(ready.quick, limit)
      const except = new Set(suspects?.except)
      const others = takeFrom(ready.suspect, suspects?.limit ?? limit - quick.length, except)
      const failing = takeFrom(
        ready.failing,
        suspects?.failing ?? limit - quick.length - others.length,
        except,
      )
      undo.length = 0
      return [...quick, ...others, ...failing]
    } catch (error) {
      revert(undo)
      throw error
    } finally {
      // Nothing was written. Unlike a commit, this cannot fail and leave the transaction open. Some failures have ended it.
      if (database.isTransaction) rollback.run()
    }
  }

  return {
    claim,
    notePace: (subscription) => {
      for (const turns of allTurns) turns.delete(subscription)
      dueTimes.refresh(subscription)
    },
  }
}
