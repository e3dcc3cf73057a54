import type { CallDirection, CallSummary, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import type { CallInput } from '../calls/call-input.ts'
import type { CallRecord } from '../records.ts'

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A length of time: milliseconds, or a number with its unit, such as `'500ms'`, `'30s'`, `'5m'`, `'2h'` or `'1.5d'`. */
export type Duration = number | `${number}${keyof typeof unitsMs}`

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
 * The outcome of a simulated call. `no_recording` and `nothing_said` are answered calls that can never have a summary.
 */
export type CallOutcome = 'answered' | 'missed' | 'rejected' | 'no_recording' | 'nothing_said'

/** The summary of a simulated call. Omitted parts are made up. */
export type SummarySimulation = {
  /** Short summary of the call. */
  readonly recap?: string | undefined
  /** Key points of the call. */
  readonly keyPoints?: readonly string[] | undefined
  /** Follow-ups that were mentioned. */
  readonly nextSteps?: readonly string[] | undefined
  /** @default 'automatic' if the organization has automatic summaries, otherwise 'team_member' */
  readonly generatedBy?: 'automatic' | 'team_member' | undefined
}

/** A summary that is generated some time after its call has ended. @interface */
export type LaterSummary = SummarySimulation & {
  /** Time between the end of the call and its summary. @default 0 */
  readonly after?: Duration | undefined
}

/** A call to simulate. By default, it is an answered incoming PSTN call between made-up people. */
export type CallSimulation = Pick<CallInput, 'callId' | 'botTest'> & {
  /** The network. @default 'PSTN' */
  readonly channel?: Channel | undefined
  /** `INCOMING`: customer to business. @default 'INCOMING' */
  readonly direction?: CallDirection | undefined
  /** The outcome of the call. @default 'answered' */
  readonly outcome?: CallOutcome | undefined
  /** Length of the conversation in whole seconds. @default made up, 25 to 480 */
  readonly durationInSeconds?: number | undefined
  /** The organization's number. @default its first number on the channel */
  readonly channelNumber?: string | undefined
  /** The customer's phone number. @default made up */
  readonly customerNumber?: string | undefined
  /** The team member's phone number. @default made up for an agent's call, none for an AI bot's */
  readonly agentNumber?: string | undefined
  /** Party that handled the call. @default 'AGENT' */
  readonly callType?: CallType | undefined
  /** The trigger of the call. @default depends on direction and call type, as in the service */
  readonly triggeredVia?: TriggeredVia | undefined
  /** The AI summary; `false` for none. @default made up, if the organization has automatic summaries */
  readonly summary?: LaterSummary | false | undefined
  /**
   * Also sends the event with which a live service ends a call that was not answered: CALL_MISSED; CALL_REJECTED for a
   * rejected WhatsApp call; CALL_ENDED for an outgoing WhatsApp call that was not answered.
   * @default false; true in the profile `live`
   */
  readonly observedEvents?: boolean | undefined
  /**
   * Number of agents who do not answer an incoming WhatsApp call in time, 0 to 100. For each, a CALL_NOT_PICKED is sent
   * before the outcome of the call.
   * @default 0
   */
  readonly notPicked?: number | undefined
}

/** A simulated call after its end, and the summary that it has or will get. @interface */
export type SimulatedCall = CallRecord & {
  /** `undefined` if no summary was planned. */
  readonly summary: CallSummary | undefined
}
