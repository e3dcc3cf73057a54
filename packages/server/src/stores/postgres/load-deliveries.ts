import type {
  AttemptKey,
  DeliveryProgress,
  DeliveryRecord,
  EventRecord,
  LoadedDelivery,
  Pace,
} from '@wabakit/core'
import { type LaneState, pickProgress } from '@wabakit/core/storage'
import { parseDeliveryId } from '../delivery-key.ts'
import { isOpen } from './functions/lanes.ts'
import type { AssumedQueue } from './functions/settlements.ts'
import { progress } from './progress.ts'
import type { Query } from './query.ts'
import { createSubscriptionCache } from './subscription-cache.ts'

const load = `
  SELECT
    k.n::integer, k.subscription::text AS queue, s.revision, s.failing_since::double precision AS "failingSince",
    s.is_reported AS "isReported", s.pace, p.state,
    p.webhook_id AS "webhookId", p.due_at::double precision AS "dueAt", ${progress.fieldsOf('p')}, e.id AS "eventId", e.organization_id AS "organizationId", e.name, e.subject,
    e.channel, e.digits, e.payload, e.waits_for AS "waitsFor", e.traceparent, e.has_custom_payload AS "hasCustomPayload", e.occurred_at::double precision AS "occurredAt"
  FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[])
    WITH ORDINALITY AS k (subscription, event, version, shard, epoch, n)
  CROSS JOIN LATERAL (
    SELECT p.* FROM wabakit.unfinished_deliveries p
    WHERE p.subscription = k.subscription AND p.event = k.event AND p.version = k.version OFFSET 0
  ) AS p
  CROSS JOIN LATERAL (SELECT e.* FROM wabakit.events e WHERE e.position = k.event OFFSET 0) AS e
  CROSS JOIN LATERAL (
    SELECT s.revision, s.failing_since, s.is_reported, s.pace FROM wabakit.subscriptions s WHERE s.position = k.subscription AND ${isOpen} OFFSET 0
  ) AS s
  CROSS JOIN LATERAL (
    SELECT FROM wabakit.shards h WHERE h.shard = k.shard AND h.epoch = k.epoch OFFSET 0
  ) AS h`

/** A loaded delivery, its event, and the fields of its subscription that change without a new revision. */
type LoadedRow = DeliveryProgress &
  Pick<DeliveryRecord, 'eventId' | 'organizationId' | 'subject'> &
  Omit<EventRecord, 'id'> & {
    /** The ordinal of the delivery's key, from 1. */
    readonly n: number
    readonly queue: string
    readonly revision: number
    readonly failingSince: number | null
    readonly isReported: boolean
    readonly pace: Pace
    readonly state: LaneState
    readonly dueAt: number
    /** `null` means the event's id. */
    readonly webhookId: string | null
  }

/** Reads the deliveries that may be attempted, in any order. */
const readRows = (read: Query, keys: readonly AttemptKey[]): Promise<LoadedRow[]> => {
  const deliveries = keys.map(({ id }) => parseDeliveryId(id))
  return read<LoadedRow>(load, [
    deliveries.map(({ subscription }) => subscription),
    deliveries.map(({ event }) => event),
    keys.map(({ version }) => version),
    keys.map(({ shard }) => shard),
    keys.map(({ epoch }) => epoch),
  ])
}

const toEvent = (row: LoadedRow): EventRecord => {
  const { eventId: id, organizationId, name, subject, channel, digits, payload, waitsFor } = row
  const { traceparent, hasCustomPayload, occurredAt } = row
  return {
    id,
    organizationId,
    name,
    subject,
    channel,
    digits,
    payload,
    waitsFor,
    traceparent,
    hasCustomPayload,
    occurredAt,
  }
}

const toDelivery = (row: LoadedRow, id: string, subscriptionId: string): DeliveryRecord => ({
  id,
  organizationId: row.organizationId,
  subscriptionId,
  eventId: row.eventId,
  eventName: row.name,
  subject: row.subject,
  webhookId: row.webhookId ?? row.eventId,
  status: 'pending',
  dueAt: row.dueAt,
  ...pickProgress(row),
  createdAt: row.occurredAt,
  finishedAt: null,
})

/**
 * Creates the function that loads deliveries before their attempts. `learn` gets the state of each subscription, from
 * which its settlements are decided.
 */
export const createLoading = (read: Query, learn: (queue: string, state: AssumedQueue) => void) => {
  const subscriptions = createSubscriptionCache(read)
  return async (keys: readonly AttemptKey[]): Promise<Array<LoadedDelivery | undefined>> => {
    const rows = await readRows(read, keys)
    const found: Array<LoadedDelivery | undefined> = keys.map(() => undefined)
    const records = await subscriptions.find(rows)
    for (const row of rows) {
      const key = keys[row.n - 1]
      const subscription = records.get(row.queue)
      if (key === undefined || subscription === undefined || subscription.disabledReason !== null) continue
      const delivery = toDelivery(row, key.id, subscription.id)
      const { failingSince, isReported } = row
      learn(row.queue, { failingSince, isReported, disabledReason: null })
      found[row.n - 1] = { delivery, event: toEvent(row), subscription, pace: row.pace }
    }
    return found
  }
}
