import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import * as z from 'zod/mini'
import { Duration } from '../time/duration.ts'

/** How a simulated call goes. */
export const CallOutcome = z.enum([
  'answered',
  'missed',
  'rejected',
  'not_picked',
  'no_recording',
  'nothing_said',
])
export type CallOutcome = z.infer<typeof CallOutcome>

const text = () => z.string().check(z.minLength(1))

/** The summary of a simulated call; what is left out is made up from the seed. */
export const SummarySimulation = z.strictObject({
  /** Short summary of the call. */
  recap: z.optional(z.string()),
  /** Key points discussed. */
  keyPoints: z.optional(z.readonly(z.array(z.string()))),
  /** Follow-ups mentioned. */
  nextSteps: z.optional(z.readonly(z.array(z.string()))),
  /** `automatic`, or by a `team_member`. @default 'automatic', where the organization has automatic summaries */
  generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
})
export type SummarySimulation = z.infer<typeof SummarySimulation>

/** A summary that comes `after` after the end of its call. */
export const LaterSummary = z.extend(SummarySimulation, {
  /** Time between the end of the call and its summary, on the mock's clock. @default 0 */
  after: z.optional(Duration),
})
export type LaterSummary = z.infer<typeof LaterSummary>

/** A call to play. Everything may be left out: it is then an answered incoming PSTN call with made-up people. */
export const CallSimulation = z.strictObject({
  /** @default a generated `call_…` */
  callId: z.optional(text()),
  /** The network. @default 'PSTN' */
  channel: z.optional(Channel),
  /** `INCOMING`: customer to business. @default 'INCOMING' */
  direction: z.optional(CallDirection),
  /** How it goes: `no_recording` and `nothing_said` are answered calls that can have no summary. @default 'answered' */
  outcome: z.optional(CallOutcome),
  /** Length of the conversation in whole seconds. @default made up, 25 to 480 */
  durationInSeconds: z.optional(z.int().check(z.minimum(0))),
  /** The customer's phone number. @default made up */
  customerNumber: z.optional(text()),
  /** The team member's phone number. @default made up for an agent's call, none for an AI bot's */
  agentNumber: z.optional(text()),
  /** Who handles it. @default 'AGENT' */
  callType: z.optional(CallType),
  /** What started it. @default by direction and call type, as the service has it */
  triggeredVia: z.optional(TriggeredVia),
  /** A bot test call; its events happen only when `webhooks` is true. */
  botTest: z.optional(z.strictObject({ webhooks: z.boolean() })),
  /** The AI summary, `after` after the call's end on the mock's clock (0 by default); `false` for none. */
  summary: z.optional(z.union([z.literal(false), LaterSummary])),
  /**
   * Send what a live service also sends for a call that nobody answered: CALL_MISSED, CALL_REJECTED or
   * CALL_NOT_PICKED (the last on WhatsApp only), and a CALL_ENDED whose unset fields are empty. @default false
   */
  observedEvents: z.optional(z.boolean()),
})
export type CallSimulation = z.infer<typeof CallSimulation>
