import type { DatabaseSync } from 'node:sqlite'
import { Channel } from '@wabakit/contract'
import type { ClaimedDelivery, ClaimRequest, SubscriptionRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { deliveryColumns, deliveryShape } from './delivery-row.ts'
import type { DueTimes } from './due-times.ts'
import { SubscriptionRow } from './subscriptions.ts'

/** Claims what is due, see {@link Store.claimDeliveries}. */
export type Claim = (request: ClaimRequest) => ClaimedDelivery[]

/** A delivery that can be claimed when it is due. */
type Candidate = { readonly dueAt: number; readonly event: number }

/** A subscription in the course of a claim. */
type Queue = {
  readonly subscription: number
  /** How many more it may have under lease. */
  slots: number
  /** The first that are pending or claimed, as far as they were read. */
  candidates: Candidate[]
  /** How many to read the next time: few at first, since another subscription may be due earlier. */
  chunk: number
  /** Whether nothing comes after the candidates. */
  isWhole: boolean
  record: SubscriptionRecord | undefined
}

const ClaimedRow = z.object({
  ...deliveryShape,
  channel: Channel,
  digits: z.string(),
  payload: z.string(),
  waitsFor: z.nullable(z.string()),
  occurredAt: z.number(),
})

const isBefore = (left: Candidate, right: Candidate): number =>
  left.dueAt - right.dueAt || left.event - right.event

/** Makes the claims of a database. */
export const createClaim = (database: DatabaseSync, dueTimes: DueTimes): Claim => {
  const countSlots = database.prepare(
    `select iif(s.failingSince is null, ?, 1) - (
       select count(*) from deliveries where subscription = s.seq and status = 'claimed' and dueAt > ?
     ) as slots
     from subscriptions s where s.seq = ?`,
  )
  const findFirst = ['pending', 'claimed'].map((status) =>
    database.prepare(
      `select dueAt, event from deliveries where subscription = ? and status = '${status}'
       order by dueAt, event limit ?`,
    ),
  )
  const lease = database.prepare(
    `update deliveries set status = 'claimed', claimId = ?, dueAt = ? where event = ? and subscription = ?`,
  )
  const read = database.prepare(
    `select ${deliveryColumns}, e.channel, e.digits, e.payload, e.waitsFor, e.occurredAt
     from deliveries d join events e on e.seq = d.event join subscriptions s on s.seq = d.subscription
     where d.event = ? and d.subscription = ?`,
  )
  const readSubscription = database.prepare('select * from subscriptions where seq = ?')

  const openQueue = (subscription: number, { now, perSubscription }: ClaimRequest): Queue => ({
    subscription,
    slots: Number(countSlots.get(perSubscription, now, subscription)?.slots),
    candidates: [],
    chunk: 2,
    isWhole: false,
    record: undefined,
  })

  const nextOf = (queue: Queue): Candidate | undefined => {
    const { candidates, chunk, isWhole, subscription } = queue
    if (candidates.length > 0 || isWhole) return candidates[0]
    const found = findFirst.map((each) => each.all(subscription, chunk))
    queue.isWhole = found.every(({ length }) => length < chunk)
    queue.candidates = found
      .flat()
      .map(({ dueAt, event }) => ({ dueAt: Number(dueAt), event: Number(event) }))
      .sort(isBefore)
      .slice(0, queue.isWhole ? undefined : chunk)
    queue.chunk *= 2
    return queue.candidates[0]
  }

  const take = (queue: Queue, { event }: Candidate, request: ClaimRequest): ClaimedDelivery => {
    const { subscription } = queue
    queue.slots--
    queue.candidates.shift()
    lease.run(request.claimId, request.now + request.leaseMs, event, subscription)
    const { channel, digits, payload, waitsFor, occurredAt, ...delivery } = ClaimedRow.parse(
      read.get(event, subscription),
    )
    queue.record ??= SubscriptionRow.parse(readSubscription.get(subscription))
    const { eventId: id, organizationId, eventName: name, subject } = delivery
    return {
      delivery,
      event: { id, organizationId, name, subject, channel, digits, payload, waitsFor, occurredAt },
      subscription: queue.record,
    }
  }

  return (request) => {
    const { now, leaseMs, limit } = request
    const queues = new Map<number, Queue>()
    const leased = new Set<Queue>()
    const claimed: ClaimedDelivery[] = []
    while (claimed.length < limit) {
      const first = dueTimes.first()
      if (first === undefined || first.dueAt > now) break
      const queue = queues.get(first.subscription) ?? openQueue(first.subscription, request)
      queues.set(first.subscription, queue)
      const next = nextOf(queue)
      // What was noted may be too early: then others come first.
      if (next?.dueAt === first.dueAt && queue.slots > 0) {
        claimed.push(take(queue, next, request))
        leased.add(queue)
      }
      dueTimes.defer(first.subscription, queue.slots > 0 ? nextOf(queue)?.dueAt : undefined)
    }
    for (const queue of queues.values()) {
      const leaseEnd = leased.has(queue) ? now + leaseMs : Infinity
      dueTimes.defer(queue.subscription, Math.min(nextOf(queue)?.dueAt ?? Infinity, leaseEnd))
    }
    return claimed
  }
}
