import { CallDirection, type CallSummary, Channel } from '@wabakit/contract'
import * as z from 'zod/mini'
import { callDetails } from '../calls/call-input.ts'
import type { CallRecord } from '../records.ts'
import { optional, phoneNumber } from '../values/input-schemas.ts'

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const durationRule =
  "must be milliseconds, 0 or more, or a string such as '500ms', '30s', '5m', '2h' or '1d'"

const format = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Converts a duration to milliseconds; `undefined` if `value` is not a duration. */
export const toMilliseconds = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  const [, amount, unit] = (typeof value === 'string' && format.exec(value)) || []
  return unit !== undefined && unit in unitsMs
    ? Math.round(Number(amount) * unitsMs[unit as keyof typeof unitsMs])
    : undefined
}

/**
 * A length of time: milliseconds, or a number with its unit, such as `'500ms'`, `'30s'`, `'5m'`, `'2h'` or
 * `'1.5d'`.
 */
export const Duration = z
  .union([z.number(), z.templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd'])])], durationRule)
  .check(z.refine((duration) => toMilliseconds(duration) !== undefined, { error: durationRule }))
export type Duration = number | `${number}${keyof typeof unitsMs}`

/**
 * The outcome of a simulated call. `no_recording` and `nothing_said` are answered calls that can never have a summary.
 */
export const CallOutcome = z.enum(['answered', 'missed', 'rejected', 'no_recording', 'nothing_said'])
export type CallOutcome = z.infer<typeof CallOutcome>

/** The summary of a simulated call. Omitted parts are generated. */
export const SummarySimulation = z.strictObject({
  /** Short summary of the call. */
  recap: z.optional(z.string()),
  /** Key points of the call. */
  keyPoints: z.optional(z.readonly(z.array(z.string()))),
  /** Follow-ups that were mentioned. */
  nextSteps: z.optional(z.readonly(z.array(z.string()))),
  /** @default 'automatic' if the organization has automatic summaries, otherwise 'team_member' */
  generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
})
export type SummarySimulation = z.infer<typeof SummarySimulation>

/** A summary that is generated some time after its call has ended. @interface */
export const LaterSummary = z.extend(SummarySimulation, {
  /** Time between the end of the call and its summary. @default 0 */
  after: optional(Duration, 'Delay of the summary, such as 30s.'),
})
export type LaterSummary = z.infer<typeof LaterSummary>

/** A call to simulate. By default, it is an answered incoming PSTN call between fictitious people. */
export const CallSimulation = z.strictObject({
  ...callDetails,
  /** The network. @default 'PSTN' */
  channel: optional(Channel, 'The network of the call. Default: PSTN.'),
  /** `INCOMING`: customer to business. @default 'INCOMING' */
  direction: optional(CallDirection, 'Who called. Default: INCOMING.'),
  /** The organization's number. @default its first number on the channel */
  channelNumber: optional(phoneNumber, "The organization's number. Default: its first on the channel."),
  /** The customer's phone number. @default a generated one */
  customerNumber: optional(phoneNumber, "The customer's number. Default: an invented one."),
  /**
   * Length of the conversation in whole seconds, at most 30 years. The call ends now, and cannot start before 1970.
   * @default a random one, 25 to 480
   */
  durationInSeconds: optional(
    z.int().check(z.gte(0), z.lte(946_080_000)),
    'Length of the conversation, in whole seconds. Default: a random one.',
  ),
  /** The outcome of the call. @default 'answered' */
  outcome: optional(
    CallOutcome,
    'How the call goes. Only an answered one can have a summary. Default: answered.',
  ),
  /**
   * The AI summary; `false` for none. @default a generated one, if the organization has automatic summaries
   */
  summary: optional(
    z.union([z.literal(false), LaterSummary]),
    '`false` for none, or its parts. Default: as the organization says.',
  ),
  /**
   * Also sends the event that a live service sends at the end of a call that was not answered: CALL_MISSED;
   * CALL_REJECTED for a rejected WhatsApp call; CALL_ENDED for an outgoing WhatsApp call that was not
   * answered.
   * @default false; true in the profile `live`, and with `notPicked`
   */
  observedEvents: optional(
    z.boolean(),
    'Also sends the event with which a live service ends a call that was not answered, such as CALL_MISSED. Default: false; true in the profile `live`, and with `notPicked`.',
  ),
  /**
   * Number of agents who do not answer an incoming WhatsApp call in time, 0 to 100. For each, a CALL_NOT_PICKED is sent
   * before the outcome of the call.
   * @default 0
   */
  notPicked: optional(
    z.int().check(z.gte(0), z.lte(100)),
    'Number of CALL_NOT_PICKED before the outcome of an incoming WhatsApp call. Default: 0.',
  ),
})
export type CallSimulation = z.infer<typeof CallSimulation>

/** A simulated call after its end, and the summary that it has or will get. @interface */
export type SimulatedCall = CallRecord & {
  /** `undefined` if no summary was planned. */
  readonly summary: CallSummary | undefined
}
