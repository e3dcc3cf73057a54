import type { DeliveryChange, DeliveryRecord, EventSelection, Store, StoredQueue } from '@wabakit/core'
import { parsePosition, toPage } from '@wabakit/core/storage'
import { type DeliveryKey, formatDeliveryId, parseDeliveryId } from '../delivery-key.ts'
import { type Conditions, createConditions } from './conditions.ts'
import { walkDeliveries } from './delivery-walk.ts'
import { allPositions, filterEvents, type Positions, walkEvents } from './event-walk.ts'
import { allAttempts, allDeliveries, deliveryColumns } from './functions/events.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { callFunction, type Query } from './query.ts'
import { findSubscription, ifOrganizationExists, mapTable, type SelectedRow } from './records.ts'
import { createPrune } from './removals.ts'

const events = mapTable('events')
const attempts = mapTable('attempts')

/** Adds the condition that an event has a delivery to the subscription. */
const filterBySubscription = (where: Conditions, selection: EventSelection & Positions): void => {
  const { organizationId, subscriptionId, eventId, subject, low, high } = selection
  if (subscriptionId === undefined) return
  const deliveries = `FROM ${allDeliveries} AS d WHERE d.subscription = ${findSubscription('?', '?')}`
  if (eventId !== undefined || subject !== undefined) {
    where.and(
      `EXISTS (SELECT ${deliveries} AND d.event = e.position OFFSET 0)`,
      organizationId,
      subscriptionId,
    )
  } else {
    // Reads the deliveries of these events at once. IS TRUE keeps the planner from using a join, which would read
    // them one by one.
    const events = `SELECT d.event ${deliveries} AND d.event BETWEEN ? AND ?`
    where.and(`(e.position IN (${events})) IS TRUE`, organizationId, subscriptionId, low, high)
  }
}

/**
 * Returns the last position that a follower may read now. Transactions do not commit in position order, so a follower
 * that reads further would miss an event that commits later with an earlier position.
 */
const readNewest = async (read: Query, organizationId: string): Promise<bigint | undefined> => {
  const position = await callFunction<string>(read, 'read_last_position($1)::text', [organizationId])
  return position === undefined ? undefined : BigInt(position)
}

export const createHistory = ({
  query,
  read,
  queueChanges,
}: Pick<PostgresDatabase, 'query' | 'read' | 'queueChanges'>) => {
  const change = async (
    name: 'cancel_delivery' | 'retry_delivery',
    { organizationId, deliveryId, now }: DeliveryChange,
  ): Promise<boolean> => {
    const { subscription, event } = parseDeliveryId(deliveryId)
    const [row] = await query<{ changed: boolean; queue: StoredQueue | null }>(
      `SELECT changed, queue FROM ${name}($1, $2, $3, $4)`,
      [organizationId, subscription, event, now],
    )
    queueChanges.emitChanged([row?.queue ?? null])
    return row?.changed === true
  }

  return {
    listEvents: async (query) => {
      const { organizationId, eventId, order, cursor, limit, maxExamined } = query
      const isFollowed = order !== 'newest_first'
      const newest = isFollowed ? await readNewest(read, organizationId) : undefined
      const last = cursor === undefined ? undefined : BigInt(parsePosition(cursor))
      const positions = isFollowed
        ? { low: (last ?? 0n) + 1n, high: newest ?? allPositions.high }
        : { ...allPositions, high: last === undefined ? allPositions.high : last - 1n }
      const walk = walkEvents(query)
      const { low, high, end } = await walk.limit(read, positions, maxExamined)
      const where = filterEvents(walk.within(createConditions(), { low, high }), query)
        .and(ifOrganizationExists('?'), organizationId)
        .andIf('e.id = ?', eventId)
      filterBySubscription(where, { ...query, low, high })
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(e) AS row FROM wabakit.events e
         WHERE ${where.sql} ${walk.orderBy} LIMIT ${where.addValue(limit + 1)}`,
        where.values,
      )
      return toPage({
        rows,
        limit,
        isFollowed,
        toItem: ({ row }) => events.toRecord(row),
        toCursor: ({ row }) => String(row.position),
        end: end?.toString(),
      })
    },
    listDeliveries: async ({ limit, ...query }) => {
      const isFollowed = query.order !== 'newest_first'
      const newest = isFollowed ? await readNewest(read, query.organizationId) : undefined
      const { from, where, orderBy, end } = await walkDeliveries(read, { ...query, newest })
      const rows = await read<{ record: DeliveryRecord; cursor: string }>(
        `SELECT (SELECT row_to_json(r) FROM (SELECT ${deliveryColumns}) AS r) AS record,
           d.event || '.' || d.subscription AS cursor
         FROM ${from} WHERE ${where.sql} ${orderBy} LIMIT ${where.addValue(limit + 1)}`,
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
         FROM ${allAttempts} AS a JOIN wabakit.subscriptions s ON s.position = a.subscription AND s.revision > 0
         WHERE a.subscription = $1 AND a.event = $2 AND s.organization_id = $3 ORDER BY a.number`,
        [subscription, event, organizationId],
      )
      return rows.map(({ row }) => ({ deliveryId, ...attempts.toRecord(row) }))
    },
    listLastAttempts: async (organizationId, deliveryIds) => {
      const keys = deliveryIds.map(parseDeliveryId)
      const rows = await read<SelectedRow & { key: DeliveryKey }>(
        `SELECT row_to_json(a) AS row, row_to_json(k) AS key
         FROM unnest($1::bigint[], $2::bigint[]) AS k (event, subscription)
         CROSS JOIN LATERAL (
           SELECT d.attempts FROM ${allDeliveries} AS d
           WHERE d.subscription = k.subscription AND d.event = k.event AND d.organization_id || '' = $3 OFFSET 0
         ) AS d
         CROSS JOIN LATERAL (
           SELECT a.* FROM ${allAttempts} AS a
           WHERE a.subscription = k.subscription AND a.event = k.event AND a.number = d.attempts OFFSET 0
         ) AS a
         JOIN wabakit.subscriptions s ON s.position = k.subscription AND s.revision > 0`,
        [keys.map(({ event }) => event), keys.map(({ subscription }) => subscription), organizationId],
      )
      return rows.map(({ row, key }) => ({ deliveryId: formatDeliveryId(key), ...attempts.toRecord(row) }))
    },
    resendDeliveries: async ({ limit, webhookIdSuffix, now, ...selection }) => {
      const { from, where, orderBy, end } = await walkDeliveries(read, selection)
      const rows = await read<DeliveryKey & { cursor: string }>(
        `SELECT d.event::double precision AS event, d.subscription::double precision AS subscription,
           d.event || '.' || d.subscription AS cursor
         FROM ${from} WHERE ${where.sql} ${orderBy} LIMIT ${where.addValue(limit + 1)}`,
        where.values,
      )
      const { items, nextCursor } = toPage({
        rows,
        limit,
        toItem: ({ event, subscription }) => ({ event, subscription }),
        toCursor: (row) => row.cursor,
        end,
      })
      const [changed] = await query<{ resent: number; queues: StoredQueue[] | null }>(
        'SELECT resent, queues FROM resend_deliveries($1, $2, $3, $4, $5)',
        [
          items.map(({ subscription }) => subscription),
          items.map(({ event }) => event),
          selection.statuses ?? null,
          webhookIdSuffix,
          now,
        ],
      )
      queueChanges.emitChanged(changed?.queues ?? [])
      return { resent: changed?.resent ?? 0, nextCursor }
    },
    cancelDelivery: (request) => change('cancel_delivery', request),
    retryDelivery: (request) => change('retry_delivery', request),
    prune: createPrune(query),
    erase: async ({ organizationId, callIds, participants, eventIds }) => {
      const queues = await callFunction<StoredQueue[]>(query, 'erase($1, $2, $3, $4, $5)', [
        organizationId,
        callIds,
        participants.map(({ groupId }) => groupId),
        participants.map(({ digits }) => digits),
        eventIds,
      ])
      queueChanges.emitChanged(queues ?? [])
    },
  } satisfies Partial<Store>
}
