import type { DeliveryQuery, DeliveryRecord, DeliverySelection, EventSelection, Store } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { parseDeliveryId } from '../delivery-id.ts'
import { toLikePattern } from '../like-pattern.ts'
import { toPage } from '../page.ts'
import { type Conditions, createConditions } from './conditions.ts'
import { deliveryColumns, readLastPosition } from './functions/events.ts'
import { erase } from './functions/removals.ts'
import { cancelDelivery, resendDeliveries, retryDelivery } from './functions/resending.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createPrune } from './prune.ts'
import type { Query } from './query.ts'
import { ifOrganizationExists, mapTable, type SelectedRow } from './records.ts'

const events = mapTable('events')
const attempts = mapTable('attempts')

export type History = Pick<
  Store,
  | 'listEvents'
  | 'listDeliveries'
  | 'listAttempts'
  | 'resendDeliveries'
  | 'cancelDelivery'
  | 'retryDelivery'
  | 'prune'
  | 'erase'
>

/** Whether a partial index without delivered deliveries fits. */
const excludesDelivered = ({ statuses }: DeliverySelection): boolean =>
  statuses?.includes('delivered') === false

/** Whether a partial index with failed deliveries alone fits. */
const selectsFailed = ({ statuses }: DeliverySelection): boolean =>
  statuses?.every((status) => status === 'exhausted' || status === 'skipped') === true

/** Deliveries `d`, and the conditions that an index of theirs answers. */
type Path = { readonly deliveries: string; readonly where: Conditions }

const selectPath = (selection: DeliverySelection): Path => {
  const { organizationId, deliveryId, eventId, subscriptionId } = selection
  const key = deliveryId === undefined ? undefined : parseDeliveryId(deliveryId)
  const where = createConditions()
    .and('d.organization_id = ?', organizationId)
    .andIf('d.event = ?', key?.event)
    .andIf('d.subscription = ?', key?.subscription)
    .andIf('d.event = (SELECT position FROM wabakit.events WHERE id = ?)', eventId)
  if (subscriptionId !== undefined) {
    const subscription = 'SELECT position FROM wabakit.subscriptions WHERE organization_id = ? AND id = ?'
    where.and(`d.subscription = (${subscription})`, organizationId, subscriptionId)
  }
  where
    .and(excludesDelivered(selection) ? `d.status <> 'delivered'` : 'true')
    .and(selectsFailed(selection) ? `d.status IN ('exhausted', 'skipped')` : 'true')
  if (selection.subject === undefined) return { deliveries: 'wabakit.deliveries d', where }
  // First the events of the subject, whose number the planner cannot know. OFFSET 0 keeps that order.
  const deliveries = `(
    SELECT d.* FROM wabakit.events s
    CROSS JOIN LATERAL (
      SELECT * FROM wabakit.deliveries WHERE organization_id = s.organization_id AND event = s.position OFFSET 0
    ) AS d
    WHERE s.organization_id = ${where.addValue(organizationId)} AND s.subject = ${where.addValue(selection.subject)} OFFSET 0
  ) AS d`
  return { deliveries, where }
}

const ownerAndEvent = `
  JOIN wabakit.events e ON e.position = d.event
  JOIN wabakit.subscriptions s ON s.position = d.subscription`

/** Adds the conditions of a selection that no index of events answers. */
const filterEvents = (where: Conditions, { names, digits, text, ...times }: EventSelection): Conditions => {
  if (text !== undefined) {
    where.and('(e.payload COLLATE "C" ILIKE ? OR e.id = ?)', toLikePattern(text), text)
  }
  return where
    .andIf('e.name = ANY (?)', names)
    .andIf('e.digits = ?', digits)
    .andIf('e.occurred_at >= ?', times.occurredFrom)
    .andIf('e.occurred_at < ?', times.occurredBefore)
}

/** Whether an event has a delivery to a subscription. */
const hasDelivery = `EXISTS (
  SELECT FROM wabakit.deliveries d JOIN wabakit.subscriptions s ON s.position = d.subscription
  WHERE d.organization_id = e.organization_id AND d.event = e.position
    AND s.organization_id = ? AND s.id = ? AND s.revision > 0)`

const filterDeliveries = (where: Conditions, selection: DeliverySelection): Conditions =>
  filterEvents(where, selection).and('s.revision > 0').andIf('d.status = ANY (?)', selection.statuses)

type KeyRange = Pick<DeliveryQuery, 'cursor' | 'maxExamined'> & { readonly isFollowed: boolean }

/**
 * Restricts a page of deliveries to what follows the cursor and may be examined.
 *
 * @returns the cursor of what may not be examined, if there is more.
 */
const limitKeys = async (
  read: Query,
  { deliveries, where }: Path,
  { isFollowed, cursor, maxExamined }: KeyRange,
): Promise<string | undefined> => {
  const [follows, precedes, direction, step] = isFollowed ? ['>', '<', 'ASC', -1] : ['<', '>', 'DESC', 1]
  if (cursor !== undefined)
    where.and(`(d.event, d.subscription) ${follows} (?, ?)`, ...parseCursor(cursor, 2))
  if (maxExamined === undefined) return undefined
  const [next] = await read<{ event: string; subscription: string; end: string }>(
    `SELECT d.event::text AS event, d.subscription::text AS subscription,
         d.event || '.' || (d.subscription + ${step}) AS end
       FROM ${deliveries}
       WHERE ${where.sql} ORDER BY d.event ${direction}, d.subscription ${direction} LIMIT 1 OFFSET ${maxExamined}`,
    where.values,
  )
  if (next === undefined) return undefined
  where.and(`(d.event, d.subscription) ${precedes} (?, ?)`, next.event, next.subscription)
  return next.end
}

export const createHistory = ({
  query,
  read,
  due: channel,
}: Pick<PostgresDatabase, 'query' | 'read' | 'due'>): History => ({
  listEvents: async (query) => {
    const { organizationId, eventId, subject, subscriptionId, order, cursor, limit, maxExamined } = query
    const isFollowed = order !== 'newest_first'
    const [follows, precedes, direction] = isFollowed ? ['>', '<', 'ASC'] : ['<', '>', 'DESC']
    const newest = isFollowed ? await readLastPosition(read, organizationId) : undefined
    const [last] = cursor === undefined ? [] : parseCursor(cursor, 1)
    const where = createConditions()
      .and('e.organization_id = ?', organizationId)
      .andIf('e.id = ?', eventId)
      .andIf('e.subject = ?', subject)
      .andIf('e.position <= ?', newest)
      .andIf(`e.position ${follows} ?`, last)
    const [next] =
      maxExamined === undefined
        ? []
        : await read<{ position: string; end: string }>(
            `SELECT e.position::text AS position, (e.position + ${isFollowed ? -1 : 1})::text AS end
             FROM wabakit.events e WHERE ${where.sql} ORDER BY e.position ${direction} LIMIT 1 OFFSET ${maxExamined}`,
            where.values,
          )
    where.and(ifOrganizationExists('?'), organizationId).andIf(`e.position ${precedes} ?`, next?.position)
    filterEvents(where, query)
    if (subscriptionId !== undefined) where.and(hasDelivery, organizationId, subscriptionId)
    const rows = await read<SelectedRow>(
      `SELECT row_to_json(e) AS row FROM wabakit.events e
         WHERE ${where.sql} ORDER BY e.position ${direction} LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    return toPage({
      rows,
      limit,
      isFollowed,
      toItem: ({ row }) => events.toRecord(row),
      toCursor: ({ row }) => String(row.position),
      end: next?.end,
    })
  },
  listDeliveries: async ({ order, cursor, limit, maxExamined, ...selection }) => {
    const isFollowed = order !== 'newest_first'
    const newest = isFollowed ? await readLastPosition(read, selection.organizationId) : undefined
    const path = selectPath(selection)
    const where = path.where.andIf('d.event <= ?', newest)
    const end = await limitKeys(read, path, { isFollowed, cursor, maxExamined })
    filterDeliveries(where, selection)
    const direction = isFollowed ? 'ASC' : 'DESC'
    const rows = await read<{ record: DeliveryRecord; cursor: string }>(
      `SELECT (SELECT row_to_json(r) FROM (SELECT ${deliveryColumns}) AS r) AS record,
           d.event || '.' || d.subscription AS cursor
         FROM ${path.deliveries} ${ownerAndEvent}
         WHERE ${where.sql} ORDER BY d.event ${direction}, d.subscription ${direction} LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    return toPage({
      rows,
      limit,
      isFollowed,
      toItem: ({ record }) => record,
      toCursor: ({ cursor }) => cursor,
      end,
    })
  },
  listAttempts: async (organizationId, deliveryId) => {
    const { event, subscription } = parseDeliveryId(deliveryId)
    const rows = await read<SelectedRow>(
      `SELECT row_to_json(a) AS row
         FROM wabakit.deliveries d JOIN wabakit.attempts a USING (subscription, event)
         JOIN wabakit.subscriptions s ON s.position = d.subscription AND s.revision > 0
         WHERE d.subscription = $1 AND d.event = $2 AND d.organization_id = $3 ORDER BY a.number`,
      [subscription, event, organizationId],
    )
    return rows.map(({ row }) => ({ deliveryId, ...attempts.toRecord(row) }))
  },
  resendDeliveries: async ({ cursor, limit, maxExamined, webhookIdSuffix, now: _now, ...selection }) => {
    const path = selectPath(selection)
    const { where } = path
    const end = await limitKeys(read, path, { isFollowed: true, cursor, maxExamined })
    filterDeliveries(where, selection)
    const rows = await read<{ position: string; cursor: string }>(
      `SELECT d.position::text AS position, d.event || '.' || d.subscription AS cursor FROM ${path.deliveries} ${ownerAndEvent}
         WHERE ${where.sql} ORDER BY d.event, d.subscription LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    const { items, nextCursor } = toPage({
      rows,
      limit,
      isFollowed: false,
      toItem: ({ position }) => position,
      toCursor: (row) => row.cursor,
      end,
    })
    const { resent, due } = await resendDeliveries(query, {
      deliveries: items,
      statuses: selection.statuses,
      webhookIdSuffix,
    })
    if (due) channel.announce()
    return { resent, nextCursor }
  },
  cancelDelivery: async (request) => {
    const { changed, due } = await cancelDelivery(query, request)
    if (due) channel.announce()
    return changed
  },
  retryDelivery: async (request) => {
    const isDue = await retryDelivery(query, request)
    if (isDue) channel.announce()
    return isDue
  },
  prune: createPrune(query),
  erase: async (erasure) => {
    if (await erase(query, erasure)) channel.announce()
  },
})
