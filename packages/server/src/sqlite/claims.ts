import type { DatabaseSync } from 'node:sqlite'
import { Channel } from '@wabakit/contract'
import type { ClaimedDelivery, ClaimRequest, SubscriptionRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { deliveryColumns, deliveryShape } from './delivery-row.ts'
import type { DueTime, DueTimes } from './due-times.ts'
import { SubscriptionRow } from './subscriptions.ts'

/** Claims what is due, see {@link Store.claimDeliveries}. */
export type Claim = (request: ClaimRequest) => ClaimedDelivery[]

/** A delivery that can be claimed. */
type Candidate = DueTime & { readonly event: number }

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
  const countLeases = database.prepare(
    `select count(*) as count from deliveries where subscription = ? and status = 'claimed' and dueAt > ?`,
  )
  const findDue = database.prepare(
    `select dueAt, event from deliveries where subscription = ? and status = ? and dueAt <= ?
     order by dueAt, event limit ?`,
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

  const candidatesOf = (subscription: number, { now, limit, perSubscription }: ClaimRequest): Candidate[] => {
    const slots = perSubscription - Number(countLeases.get(subscription, now)?.count)
    if (slots <= 0) return []
    const most = Math.min(slots, limit)
    return ['pending', 'claimed']
      .flatMap((status) => findDue.all(subscription, status, now, most))
      .map(({ dueAt, event }) => ({ subscription, dueAt: Number(dueAt), event: Number(event) }))
      .sort(isBefore)
      .slice(0, most)
  }

  const take = (
    { event, subscription }: Candidate,
    subscriptions: Map<number, SubscriptionRecord>,
    { claimId, now, leaseMs }: ClaimRequest,
  ): ClaimedDelivery => {
    lease.run(claimId, now + leaseMs, event, subscription)
    const { channel, digits, payload, waitsFor, occurredAt, ...delivery } = ClaimedRow.parse(
      read.get(event, subscription),
    )
    const record =
      subscriptions.get(subscription) ?? SubscriptionRow.parse(readSubscription.get(subscription))
    subscriptions.set(subscription, record)
    const { eventId: id, organizationId, eventName: name, subject } = delivery
    return {
      delivery,
      event: { id, organizationId, name, subject, channel, digits, payload, waitsFor, occurredAt },
      subscription: record,
    }
  }

  return (request) => {
    const { now, limit } = request
    const visited: number[] = []
    let candidates: Candidate[] = []
    for (const { subscription, dueAt } of dueTimes.until(now)) {
      // Nobody after this one has anything that is due earlier than what was found.
      const last = candidates[limit - 1]
      if (last !== undefined && last.dueAt <= dueAt) break
      visited.push(subscription)
      const found = candidatesOf(subscription, request)
      if (found.length > 0) candidates = [...candidates, ...found].sort(isBefore).slice(0, limit)
    }
    const subscriptions = new Map<number, SubscriptionRecord>()
    const claimed = candidates.map((candidate) => take(candidate, subscriptions, request))
    for (const subscription of visited) dueTimes.look(subscription)
    return claimed
  }
}
