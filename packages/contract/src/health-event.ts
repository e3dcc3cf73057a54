import * as z from 'zod/mini'
import { UtcTimestamp } from './text.ts'

/** Names of the events about subscription health. They are for operators, and not part of the vendor's interface. */
export const healthEventNames = [
  'delivery.exhausted',
  'subscription.failing',
  'subscription.disabled',
  'subscription.recovered',
] as const

const defineHealthEventData = () =>
  z.object({
    /** The subscription's organization. */
    organizationId: z.string(),
    /** The subscription that failed, was disabled or recovered, or whose delivery was exhausted. */
    subscriptionId: z.string(),
    /** The URL of the attempt, with the values of its query masked. */
    url: z.string(),
    /**
     * Start of the first failed attempt since the last success before this event, or since the subscription was enabled
     * again or got another URL; null if no attempt had failed since then.
     */
    failingSince: z.nullable(UtcTimestamp),
    /**
     * Why the subscription was disabled: a 410 response (`gone`), or 5 days of failed attempts (`failing`); null unless the
     * event is `subscription.disabled`.
     */
    disabledReason: z.nullable(z.enum(['gone', 'failing'])),
    /** The event whose delivery to the subscription caused this one. */
    eventId: z.string(),
    /** The name of the event with this `eventId`. */
    eventName: z.string(),
    /** Number of delivery attempts so far. */
    attempts: z.number(),
    /** The endpoint's last response: its `status`; or, if there was no response, null and an `error`. */
    lastResponse: z.object({ status: z.nullable(z.number()), error: z.nullable(z.string()) }),
  })

/** The subscription that a health event is about, and the attempt that caused it. */
export const HealthEventData = /* @__PURE__ */ defineHealthEventData()
export type HealthEventData = z.infer<typeof HealthEventData>

const defineHealthEvent = () =>
  z.object({
    /** The kind of event. */
    type: z.enum(healthEventNames),
    /** When the outcome that caused the event was recorded. */
    timestamp: UtcTimestamp,
    /** The subscription, and the attempt that caused the event. */
    data: HealthEventData,
  })

/**
 * Schema of the webhooks for operational subscriptions. `delivery.exhausted`: the last attempt of a delivery
 * failed. `subscription.failing`: a delivery was exhausted, or all attempts have failed for ten minutes, while the
 * subscription was well: neither `failing` nor `disabled` was sent since it last recovered. `subscription.disabled`: the
 * endpoint responded 410, or failed for 5 days. `subscription.recovered`: the first success after `failing` or `disabled`.
 */
export const HealthEvent = /* @__PURE__ */ defineHealthEvent()
export type HealthEvent = z.infer<typeof HealthEvent>

/** Name of an event about subscription health. */
export type HealthEventName = HealthEvent['type']
