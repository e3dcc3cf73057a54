import type { DeliveryRecord } from '@wabakit/core'
import * as z from 'zod/mini'

/** What a delivery is read from: `d`, with its event `e` and its subscription `s`. */
export const deliveryColumns = `
  'dlv_' || d.event || '_' || d.subscription as id, d.organizationId, s.id as subscriptionId, e.id as eventId,
  e.name as eventName, d.subject, coalesce(d.webhookId, e.id) as webhookId, d.status, d.dueAt, d.attempts, d.failures,
  d.createdAt, d.finishedAt`

/** Columns of a {@link DeliveryRecord}. */
export const deliveryShape = {
  id: z.string(),
  organizationId: z.string(),
  subscriptionId: z.string(),
  eventId: z.string(),
  eventName: z.string(),
  subject: z.string(),
  webhookId: z.string(),
  status: z.enum(['waiting', 'pending', 'claimed', 'delivered', 'exhausted', 'skipped']),
  dueAt: z.nullable(z.number()),
  attempts: z.number(),
  failures: z.number(),
  createdAt: z.number(),
  finishedAt: z.nullable(z.number()),
}

/** A delivery as it is read. */
export const DeliveryRow: z.ZodMiniType<DeliveryRecord> = z.object(deliveryShape)
