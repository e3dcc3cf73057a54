import * as z from 'zod/mini'
import type { AttemptRecord, DeliveryRecord } from '../../index.ts'
import { named, Utc, UtcOrNull } from '../schemas.ts'
import { DiagnosisView, diagnose } from './diagnosis.ts'
import { WaitView } from './wait.ts'

export const DeliveryStatus = z.enum([
  'waiting',
  'pending',
  'attempting',
  'delivered',
  'exhausted',
  'skipped',
])

export const DeliveryView = named(
  'Delivery',
  'The delivery of one event to one subscription. `dueAt` is when the next attempt is due (`pending`), or when the attempt ends at the latest (`attempting`). `deferrals` is how often its endpoint was already handling the event since it was created or last resent. `wait` says what it waits for; lists do not have it. `lastResponse` is that of the last attempt, with the likely `cause` if it failed, `customerNumber` that of the call, and `groupName` that of the group; timelines and the results of `retryDelivery` and `cancelDelivery` do not have these three.',
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
    createdAt: Utc,
    finishedAt: UtcOrNull,
    wait: z.nullable(WaitView),
    lastResponse: z.nullable(
      z.object({
        status: z.nullable(z.number()),
        error: z.nullable(z.string()),
        cause: z.nullable(DiagnosisView.shape.cause),
      }),
    ),
    customerNumber: z.nullable(z.string()),
    groupName: z.nullable(z.string()),
  }),
)

export type DeliveryView = z.input<typeof DeliveryView>

type DeliveryDetails = Partial<Pick<DeliveryView, 'wait' | 'lastResponse' | 'customerNumber' | 'groupName'>>

export const showDelivery = (record: DeliveryRecord, details: DeliveryDetails = {}): DeliveryView => {
  const none = { wait: null, lastResponse: null, customerNumber: null, groupName: null }
  return z.encode(DeliveryView, { ...none, ...details, ...record })
}

/** The request of an attempt as a host with faults really sent it. */
export type WireAttempt = {
  readonly faults: readonly string[]
  /** `undefined` if a fault dropped the attempt or held it back. */
  readonly request:
    | {
        readonly method: string
        readonly url: string
        /** Without those that are hidden. */
        readonly headers: Readonly<Record<string, string>>
        readonly hiddenHeaders: readonly string[]
        readonly body: string
      }
    | undefined
  /** The responses to the same request, sent again. */
  readonly copies: readonly { readonly status: number | null; readonly responseBody: string | null }[]
}

const WireView = z.object({
  faults: z.array(z.string()),
  isSent: z.boolean(),
  copies: z.array(z.object({ status: z.nullable(z.number()), responseBody: z.nullable(z.string()) })),
})

export const AttemptView = named(
  'Attempt',
  'One attempt of a delivery. On a mock, `wire` says what went over the wire where faults made it differ: which ones, whether anything was sent at all, and the responses to copies. `status` is null when there was no response, and `error` says why. `diagnosis` says what was likely the cause. With `deferred`, the endpoint was already handling the event (409 with `Retry-After`).',
  z.object({
    number: z.number(),
    startedAt: Utc,
    durationMs: z.number(),
    url: z.string(),
    status: z.nullable(z.number()),
    error: z.nullable(z.string()),
    responseBody: z.nullable(z.string()),
    succeeded: z.boolean(),
    deferred: z.boolean(),
    diagnosis: z.nullable(DiagnosisView),
    wire: z.optional(WireView),
  }),
)

export const SentRequestView = named(
  'SentRequest',
  'The request of an attempt, rebuilt from the event and the start of the attempt, so its timestamp may differ by a second, or more if the clock was set. `changed` lists what has changed since, so that it is not exactly what was sent: the `secret`, something of the `subscription`, which may be its secret, or the `webhook_id`. Of the headers of the subscription, only the names are shown. On a mock, it is what was sent, with the `faults` that changed it.',
  z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    hiddenHeaders: z.array(z.string()),
    body: z.string(),
    changed: z.array(z.enum(['secret', 'subscription', 'webhook_id'])),
    faults: z.optional(z.array(z.string())),
  }),
)

const showWire = (wire: WireAttempt | undefined) =>
  wire !== undefined && wire.faults.length > 0
    ? { wire: { faults: [...wire.faults], isSent: wire.request !== undefined, copies: [...wire.copies] } }
    : {}

export const showAttempt = (
  record: AttemptRecord,
  { status }: Pick<DeliveryRecord, 'status'>,
  wire?: WireAttempt,
) => z.encode(AttemptView, { ...record, diagnosis: diagnose(record, status), ...showWire(wire) })
