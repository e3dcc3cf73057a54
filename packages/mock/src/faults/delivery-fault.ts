import { type EventName, eventNames } from '@wabakit/contract'
import { Duration, FaultOptions } from '@wabakit/core/simulation'
import * as z from 'zod/mini'

/** The events that a fault hits: all with one name, or `*` for all events. @inline */
export type FaultedEvent = EventName | '*'

/** Options for every delivery fault. @interface */
export type DeliveryFaultOptions = FaultOptions & {
  /** Hits only events whose payload has these fields, at any depth. @default every event with this name */
  readonly where?: Readonly<Record<string, unknown>> | undefined
  /**
   * Hits only deliveries to this subscription: the result of `subscribe`, or the id of a subscription of the server.
   * @default every subscription; the collector only in process, while no other subscription gets the event
   */
  readonly to?: string | { readonly ids: readonly string[] } | undefined
}

const options = {
  where: z.optional(z.record(z.string(), z.unknown())),
  to: z.optional(
    z.union([z.string(), z.looseObject({ ids: z.readonly(z.array(z.string())) })], {
      error: 'to must be the result of subscribe, or the id of a subscription',
    }),
  ),
  ...FaultOptions.shape,
}
const oneEvent = { event: z.enum<readonly FaultedEvent[]>([...eventNames, '*']), ...options }

/** The same request arrives again. In the profile `reference`, it has the same `webhook-id` and signature. */
export const DuplicateFault = z.strictObject({
  kind: z.literal('duplicate'),
  /** Number of additional requests. @default 1 */
  copies: z.optional(z.int().check(z.minimum(1))),
  /**
   * Sends the copies at the same time as the first request, not after its response. Reveals a receiver that
   * checks for duplicates before it handles an event, but remembers the event only afterwards.
   *
   * @default false
   */
  concurrent: z.optional(z.boolean()),
  ...oneEvent,
})
export type DuplicateFault = z.infer<typeof DuplicateFault>

/** An attempt is lost, as if the connection was reset. Retries follow, if the profile has any. */
export const DropFault = z.strictObject({ kind: z.literal('drop'), ...oneEvent })
export type DropFault = z.infer<typeof DropFault>

/** An attempt is handled, but its response arrives too late: to the sender, it is a time-out. */
export const TimeOutFault = z.strictObject({ kind: z.literal('timeOut'), ...oneEvent })
export type TimeOutFault = z.infer<typeof TimeOutFault>

/** A failed attempt is never repeated: the sender forgets the event, as vendors without documented retries may do. */
export const NeverRetryFault = z.strictObject({ kind: z.literal('neverRetry'), ...oneEvent })
export type NeverRetryFault = z.infer<typeof NeverRetryFault>

/** An event arrives late, and others may overtake it. */
export const DelayFault = z.strictObject({
  kind: z.literal('delay'),
  /** The delay on the mock's clock. */
  by: Duration,
  ...oneEvent,
})
export type DelayFault = z.infer<typeof DelayFault>

/** An attempt is changed after it was signed. Its retry is unchanged, unless the fault hits it, too. */
export const TamperFault = z.strictObject({
  kind: z.literal('tamper'),
  /**
   * The changed part: the `body` gets an extra field, the `signature` and all credentials are wrong, the
   * `timestamp` is an hour older, or a header is missing.
   */
  part: z.enum(['body', 'signature', 'timestamp', 'missing_header']),
  /** The missing header. @default the signature and all credentials */
  header: z.optional(z.enum(['webhook-id', 'webhook-timestamp', 'webhook-signature'])),
  ...oneEvent,
})
export type TamperFault = z.infer<typeof TamperFault>

/**
 * Events of one call or group arrive in this order. Each is held back until the ones before it have been attempted.
 * `times` counts calls or groups. The fault counts as applied once an event was held back and then arrived.
 */
export const ReorderFault = z.strictObject({
  kind: z.literal('reorder'),
  /** At least two names, in order of arrival. */
  events: z.readonly(z.array(z.enum<readonly EventName[]>(eventNames)).check(z.minLength(2))),
  ...options,
})
export type ReorderFault = z.infer<typeof ReorderFault>

/** A delivery fault. It is plain data, so it can come from a file or over HTTP. */
export type DeliveryFault =
  | DuplicateFault
  | DropFault
  | TimeOutFault
  | NeverRetryFault
  | DelayFault
  | TamperFault
  | ReorderFault
