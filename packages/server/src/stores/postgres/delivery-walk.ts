import type { DeliveryQuery, DeliverySelection } from '@wabakit/core'
import { excludesDelivered, parsePositions, selectsFailed } from '@wabakit/core/storage'
import { parseDeliveryId } from '../delivery-key.ts'
import { type Conditions, createConditions } from './conditions.ts'
import { allPositions, filterEvents, walkEvents } from './event-walk.ts'
import { allAttempts, allDeliveries, deliveryStatus } from './functions/events.ts'
import type { Query } from './query.ts'
import { findSubscription } from './records.ts'

/**
 * Returns whether to find the events first, because few may match. Otherwise, an index of deliveries finds
 * fewer rows.
 */
const startsWithEvents = (selection: DeliverySelection): boolean => {
  const { deliveryId, eventId, subject, subscriptionId, ...filters } = selection
  if (deliveryId !== undefined || eventId !== undefined) return false
  if (subject !== undefined) return true
  if (subscriptionId !== undefined || excludesDelivered(selection)) return false
  const { names, digits, text, occurredFrom, occurredBefore } = filters
  return [names, digits, text, occurredFrom, occurredBefore].some((filter) => filter !== undefined)
}

/** Adds a selection's conditions on deliveries. */
const filterDeliveries = (where: Conditions, selection: DeliverySelection): Conditions => {
  const { organizationId, deliveryId, eventId, subscriptionId } = selection
  const key = deliveryId === undefined ? undefined : parseDeliveryId(deliveryId)
  if (subscriptionId !== undefined) {
    where.and(`d.subscription = ${findSubscription('?', '?')}`, organizationId, subscriptionId)
  }
  // A subscription belongs to one organization, so with a subscription, this condition is redundant. Without it, the planner
  // can only use the index of the subscription's deliveries. If delivered ones are excluded, the planner should also be able to
  // use the index of deliveries that were not delivered, which starts with the organization.
  if (subscriptionId === undefined || excludesDelivered(selection)) {
    where.and('d.organization_id = ?', organizationId)
  }
  if (excludesDelivered(selection)) where.and(`d.state <> 'delivered'`)
  if (selectsFailed(selection)) where.and(`d.state IN ('exhausted', 'skipped')`)
  return where
    .andIf('d.event = ?', key?.event)
    .andIf('d.subscription = ?', key?.subscription)
    .andIf('d.event = (SELECT position FROM wabakit.events WHERE id = ?)', eventId)
}

/** Adds the condition that one of the attempts matches. */
const filterAttempts = (
  where: Conditions,
  { anyResponses, attemptedFrom, attemptedBefore }: DeliverySelection,
): Conditions => {
  const filters = Object.entries({
    'coalesce(a.status, 0) = ANY (?)': anyResponses,
    'a.started_at >= ?': attemptedFrom,
    'a.started_at < ?': attemptedBefore,
  }).filter(([, value]) => value !== undefined)
  if (filters.length === 0) return where
  const conditions = filters.map(([sql]) => sql).join(' AND ')
  return where.and(
    `EXISTS (SELECT FROM ${allAttempts} AS a
       WHERE a.subscription = d.subscription AND a.event = d.event AND ${conditions})`,
    ...filters.map(([, value]) => value),
  )
}

/** Adds the conditions of a selection that are checked for each examined delivery, without an index. */
const filterExamined = (
  where: Conditions,
  { statuses, responses, finishedFrom, finishedBefore }: DeliverySelection,
): Conditions =>
  where
    .andIf(`${deliveryStatus} = ANY (?)`, statuses)
    // The sum prevents the planner from using the index by time, which contains the deliveries of all
    // organizations.
    .andIf('d.finished_at + 0 >= ?', finishedFrom)
    .andIf('d.finished_at + 0 < ?', finishedBefore)
    .andIf(
      `(SELECT coalesce(a.status, 0) FROM ${allAttempts} AS a
         WHERE a.subscription = d.subscription AND a.event = d.event AND a.number = d.attempts) = ANY (?)`,
      responses,
    )

// OFFSET 0 in the nested tables makes the planner keep their order, which it might otherwise change after
// misjudging how many rows match.
const withSubscription = `
  CROSS JOIN LATERAL (SELECT * FROM wabakit.subscriptions WHERE position = d.subscription AND revision > 0 OFFSET 0) AS s`
const eventsFirst = `wabakit.events e
  CROSS JOIN LATERAL (
    SELECT * FROM ${allDeliveries} AS every WHERE organization_id = e.organization_id AND event = e.position OFFSET 0
  ) AS d ${withSubscription}`
const deliveriesFirst = `${allDeliveries} AS d
  CROSS JOIN LATERAL (SELECT * FROM wabakit.events WHERE position = d.event OFFSET 0) AS e ${withSubscription}`

/** The highest position that a cursor can contain. */
const lastSubscription = '9'.repeat(18)

/**
 * Chooses how to read deliveries `d` with their events `e` and subscriptions `s`, in the order of their
 * events and subscriptions, up to the event at position `newest`. The caller applies `limit`. Also returns
 * `end`, the cursor of the rows after the examined rows, if there are any.
 */
export const walkDeliveries = async (
  read: Query,
  query: Omit<DeliveryQuery, 'limit'> & { readonly newest?: bigint | undefined },
) => {
  const { cursor, maxExamined, newest = allPositions.high, ...selection } = query
  const isReverse = selection.order === 'newest_first'
  const [follows, precedes, direction] = isReverse ? ['<', '>', 'DESC'] : ['>', '<', 'ASC']
  const after = cursor === undefined ? undefined : parsePositions(cursor).map(BigInt)

  if (startsWithEvents(selection)) {
    const walk = walkEvents(selection)
    const [event] = after ?? []
    const positions = isReverse
      ? { ...allPositions, high: event ?? newest }
      : { low: event ?? allPositions.low, high: newest }
    const { low, high, end } = await walk.limit(read, positions, maxExamined)
    const where = filterDeliveries(walk.within(createConditions(), { low, high }), selection)
    if (after !== undefined) where.and(`(e.position, d.subscription) ${follows} (?, ?)`, ...after)
    filterAttempts(filterExamined(filterEvents(where, selection), selection), selection)
    return {
      from: eventsFirst,
      where,
      orderBy: `${walk.orderBy}, d.subscription ${direction}`,
      end: end === undefined ? undefined : isReverse ? `${end - 1n}.${lastSubscription}` : `${end + 1n}.0`,
    }
  }

  const where = filterDeliveries(createConditions(), selection).and('d.event <= ?', newest)
  const orderBy = `ORDER BY d.event ${direction}, d.subscription ${direction}`
  if (after !== undefined) where.and(`(d.event, d.subscription) ${follows} (?, ?)`, ...after)
  const [next] =
    maxExamined === undefined
      ? []
      : await read<{ event: string; subscription: string; end: string }>(
          `SELECT d.event::text AS event, d.subscription::text AS subscription,
             d.event || '.' || (d.subscription + ${isReverse ? 1 : -1}) AS end
           FROM (
             SELECT d.event, d.subscription FROM ${allDeliveries} AS d
             WHERE ${where.sql} ${orderBy} LIMIT 1 OFFSET ${maxExamined}
           ) AS d`,
          where.values,
        )
  if (next !== undefined)
    where.and(`(d.event, d.subscription) ${precedes} (?, ?)`, next.event, next.subscription)
  filterEvents(where, selection).andIf('e.subject = ?', selection.subject)
  filterAttempts(filterExamined(where, selection), selection)
  return { from: deliveriesFirst, where, orderBy, end: next?.end }
}
