import type { DeliveryRecord, DeliverySelection, Store } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { parseDeliveryId } from '../delivery-id.ts'
import { toPage } from '../page.ts'
import { type Conditions, createConditions } from './conditions.ts'
import { deliveryColumns, readLastPosition } from './functions/events.ts'
import { erase } from './functions/removals.ts'
import { resendDeliveries } from './functions/resending.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createPrune } from './prune.ts'
import { ifOrganizationExists, mapTable, type SelectedRow } from './records.ts'

const events = mapTable('events')
const attempts = mapTable('attempts')

export type History = Pick<
  Store,
  'listEvents' | 'listDeliveries' | 'listAttempts' | 'resendDeliveries' | 'prune' | 'erase'
>

/** Deliveries with their events and subscriptions. */
const deliveryTables = `wabakit.deliveries d
  JOIN wabakit.events e ON e.position = d.event
  JOIN wabakit.subscriptions s ON s.position = d.subscription`

/** Whether a partial index without delivered deliveries fits. */
const excludesDelivered = ({ statuses }: DeliverySelection): boolean =>
  statuses?.includes('delivered') === false

/** Whether a partial index with failed deliveries alone fits. */
const selectsFailed = ({ statuses }: DeliverySelection): boolean =>
  statuses?.every((status) => status === 'exhausted' || status === 'skipped') === true

const selectDeliveries = (selection: DeliverySelection): Conditions => {
  const key = selection.deliveryId === undefined ? undefined : parseDeliveryId(selection.deliveryId)
  return createConditions()
    .and('d.organization_id = ?', selection.organizationId)
    .and('s.revision > 0')
    .andIf('d.event = ?', key?.event)
    .andIf('d.subscription = ?', key?.subscription)
    .andIf('d.event = (SELECT position FROM wabakit.events WHERE id = ?)', selection.eventId)
    .andIf(
      `d.subscription = (
        SELECT position FROM wabakit.subscriptions WHERE organization_id = d.organization_id AND id = ?
      )`,
      selection.subscriptionId,
    )
    .andIf('d.status = ANY (?)', selection.statuses)
    .and(excludesDelivered(selection) ? `d.status <> 'delivered'` : 'true')
    .and(selectsFailed(selection) ? `d.status IN ('exhausted', 'skipped')` : 'true')
    .andIf('e.occurred_at >= ?', selection.occurredFrom)
    .andIf('e.occurred_at < ?', selection.occurredBefore)
}

export const createHistory = ({
  query,
  read,
  due: channel,
}: Pick<PostgresDatabase, 'query' | 'read' | 'due'>): History => ({
  listEvents: async ({ organizationId, eventId, name, subject, order, cursor, limit }) => {
    const isFollowed = order !== 'newest_first'
    const end = isFollowed ? await readLastPosition(read, organizationId) : undefined
    const [last] = cursor === undefined ? [] : parseCursor(cursor, 1)
    const where = createConditions()
      .and('e.organization_id = ?', organizationId)
      .and(ifOrganizationExists('?'), organizationId)
      .andIf('e.id = ?', eventId)
      .andIf('e.name = ?', name)
      .andIf('e.subject = ?', subject)
      .andIf('e.position <= ?', end)
      .andIf(isFollowed ? 'e.position > ?' : 'e.position < ?', last)
    const rows = await read<SelectedRow>(
      `SELECT row_to_json(e) AS row FROM wabakit.events e
         WHERE ${where.sql} ORDER BY e.position ${isFollowed ? 'ASC' : 'DESC'} LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    return toPage({
      rows,
      limit,
      isFollowed,
      toItem: ({ row }) => events.toRecord(row),
      toCursor: ({ row }) => String(row.position),
    })
  },
  listDeliveries: async ({ order, cursor, limit, ...selection }) => {
    const isFollowed = order !== 'newest_first'
    const end = isFollowed ? await readLastPosition(read, selection.organizationId) : undefined
    const where = selectDeliveries(selection).andIf('d.event <= ?', end)
    if (cursor !== undefined) {
      where.and(`(d.event, d.subscription) ${isFollowed ? '>' : '<'} (?, ?)`, ...parseCursor(cursor, 2))
    }
    const direction = isFollowed ? 'ASC' : 'DESC'
    const rows = await read<{ record: DeliveryRecord; cursor: string }>(
      `SELECT (SELECT row_to_json(r) FROM (SELECT ${deliveryColumns}) AS r) AS record,
           d.event || '.' || d.subscription AS cursor
         FROM ${deliveryTables}
         WHERE ${where.sql} ORDER BY d.event ${direction}, d.subscription ${direction} LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    return toPage({
      rows,
      limit,
      isFollowed,
      toItem: ({ record }) => record,
      toCursor: ({ cursor }) => cursor,
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
  resendDeliveries: async ({ cursor, limit, webhookIdSuffix, now: _now, ...selection }) => {
    const where = selectDeliveries(selection)
    if (cursor !== undefined) where.and('(d.event, d.subscription) > (?, ?)', ...parseCursor(cursor, 2))
    const rows = await read<{ position: string; cursor: string }>(
      `SELECT d.position::text AS position, d.event || '.' || d.subscription AS cursor FROM ${deliveryTables}
         WHERE ${where.sql} ORDER BY d.event, d.subscription LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    const { items, nextCursor } = toPage({
      rows,
      limit,
      isFollowed: false,
      toItem: ({ position }) => position,
      toCursor: (row) => row.cursor,
    })
    const { resent, due } = await resendDeliveries(query, {
      deliveries: items,
      statuses: selection.statuses,
      webhookIdSuffix,
    })
    if (due) channel.announce()
    return { resent, nextCursor }
  },
  prune: createPrune(query),
  erase: async (erasure) => {
    if (await erase(query, erasure)) channel.announce()
  },
})
