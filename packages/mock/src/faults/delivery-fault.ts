import { type EventName, eventNames } from '@wabakit/contract'
import * as z from 'zod/mini'
import { Duration } from '../time/duration.ts'
import { type RuleOptions, ruleOptions } from './rule.ts'

/** Which events a rule is about: one name, or `*` for all of them. */
export type FaultedEvent = EventName | '*'

const event = () => z.enum<readonly FaultedEvent[]>([...eventNames, '*'])

const options = () => ({
  /** Only events whose payload has these fields, as deep as you like. */
  where: z.optional(z.record(z.string(), z.unknown())),
  ...ruleOptions(),
})

/** Options of every delivery fault. */
export type DeliveryFaultOptions = RuleOptions & {
  /** Only events whose payload has these fields, as deep as you like. @default every event of the name */
  readonly where?: Readonly<Record<string, unknown>> | undefined
}

/** The same signed request arrives again, with the same `webhook-id`. */
export const DuplicateFault = z.strictObject({
  kind: z.literal('duplicate'),
  event: event(),
  /** How many more times it arrives. @default 1 */
  copies: z.optional(z.int().check(z.minimum(1))),
  ...options(),
})
export type DuplicateFault = z.infer<typeof DuplicateFault>

/** An attempt gets lost on its way, as if the connection was reset; the schedule of retries goes on. */
export const DropFault = z.strictObject({ kind: z.literal('drop'), event: event(), ...options() })
export type DropFault = z.infer<typeof DropFault>

/** An event arrives late; others may overtake it. */
export const DelayFault = z.strictObject({
  kind: z.literal('delay'),
  event: event(),
  /** How late, on the mock's clock. */
  by: Duration,
  ...options(),
})
export type DelayFault = z.infer<typeof DelayFault>

/** An attempt arrives changed, so that its signature is wrong; the retry is right again. */
export const TamperFault = z.strictObject({
  kind: z.literal('tamper'),
  event: event(),
  /**
   * What is changed: a field is added to the `body`, the `signature` is another, the `timestamp` is an hour older, or
   * a header is missing.
   */
  part: z.enum(['body', 'signature', 'timestamp', 'missing_header']),
  /** The header that is missing. @default 'webhook-signature' */
  header: z.optional(z.enum(['webhook-id', 'webhook-timestamp', 'webhook-signature'])),
  ...options(),
})
export type TamperFault = z.infer<typeof TamperFault>

/**
 * Events of one call or group arrive in this order rather than in theirs. Each is held back until those before it in
 * the list have arrived; `times` counts calls or groups.
 */
export const ReorderFault = z.strictObject({
  kind: z.literal('reorder'),
  /** Names in the order in which they shall arrive; at least two. */
  events: z.readonly(z.array(z.enum<readonly EventName[]>(eventNames)).check(z.minLength(2))),
  ...options(),
})
export type ReorderFault = z.infer<typeof ReorderFault>

/** What goes wrong with deliveries, by kind. */
export const deliveryFaults = {
  duplicate: DuplicateFault,
  drop: DropFault,
  delay: DelayFault,
  tamper: TamperFault,
  reorder: ReorderFault,
} as const

/** What goes wrong with deliveries. Plain data: it can come from a test, from a file, or over HTTP. */
export type DeliveryFault = z.infer<(typeof deliveryFaults)[keyof typeof deliveryFaults]>
