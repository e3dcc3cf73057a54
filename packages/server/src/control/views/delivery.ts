import { UtcTimestamp } from '@wabakit/contract'
import type { AttemptRecord, DeliveryRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { UtcOrNull, utc, utcOrNull } from './times.ts'

export const DeliveryStatus = z.enum(['waiting', 'pending', 'claimed', 'delivered', 'exhausted', 'skipped'])

export const DeliveryView = named(
  'Delivery',
  'The delivery of one event to one subscription. `dueAt` is when the next attempt is due (`pending`), or when the lease expires (`claimed`). `deferrals` is how often its endpoint was handling the event already.',
  z.object({
    id: z.string(),
    subscriptionId: z.string(),
    eventId: z.string(),
    eventName: z.string(),
    subject: z.string(),
    webhookId: z.string(),
    status: DeliveryStatus,
    dueAt: UtcOrNull,
    attempts: z.number(),
    failures: z.number(),
    deferrals: z.number(),
    createdAt: UtcTimestamp,
    finishedAt: UtcOrNull,
  }),
)

export const showDelivery = (record: DeliveryRecord): z.infer<typeof DeliveryView> => ({
  id: record.id,
  subscriptionId: record.subscriptionId,
  eventId: record.eventId,
  eventName: record.eventName,
  subject: record.subject,
  webhookId: record.webhookId,
  status: record.status,
  dueAt: utcOrNull(record.dueAt),
  attempts: record.attempts,
  failures: record.failures,
  deferrals: record.deferrals,
  createdAt: utc(record.createdAt),
  finishedAt: utcOrNull(record.finishedAt),
})

export const AttemptView = named(
  'Attempt',
  'One attempt of a delivery. `status` is null when there was no response, and `error` says why. With `deferred`, the endpoint was handling the event already (409 with `Retry-After`).',
  z.object({
    number: z.number(),
    startedAt: UtcTimestamp,
    durationMs: z.number(),
    url: z.string(),
    status: z.nullable(z.number()),
    error: z.nullable(z.string()),
    responseBody: z.nullable(z.string()),
    succeeded: z.boolean(),
    deferred: z.boolean(),
  }),
)

export const showAttempt = (record: AttemptRecord): z.infer<typeof AttemptView> => ({
  number: record.number,
  startedAt: utc(record.startedAt),
  durationMs: record.durationMs,
  url: record.url,
  status: record.status,
  error: record.error,
  responseBody: record.responseBody,
  succeeded: record.succeeded,
  deferred: record.deferred,
})
