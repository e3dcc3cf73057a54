import type { EventName } from '@wabakit/contract'
import type { Delivery } from './payloads.ts'
import type { Exchange } from './send.ts'

/** The run's results so far, on which later checks depend. */
export type Knowledge = ReturnType<typeof createKnowledge>

export const createKnowledge = () => ({
  /** The control's genuine deliveries, in order. */
  controls: [] as Exchange[],
  /** Set if the endpoint accepted the control's deliveries; `undefined` until they have been sent. */
  acceptsGenuine: undefined as boolean | undefined,
  /** The probable reason for refusing the control. */
  controlProblem: 'no genuine delivery was sent',
  /** The mistake that the control's refused or lost deliveries prove. */
  controlMistake: undefined as string | undefined,
  /** Set if a call's summary had no effect after the call's earlier events, although one on its own had. */
  losesLaterEvents: false,
  /** The name of an event that has an effect; `undefined` until an effect is seen. */
  effectName: undefined as EventName | undefined,
  /** Why effects prove nothing. */
  effectsProblem: 'no genuine delivery left an effect',
  /** Time until the first effect became visible, in milliseconds; 0 if it was visible as soon as effects were read. */
  effectLatencyMs: 0,
  /**
   * Longest time that the first effect can have taken, in milliseconds: from the control's last response until an effect
   * was seen. Unlike the latency, it is never 0, because it includes the responses to the two deliveries in between.
   */
  effectWithinMs: 0,
  /** Total time that checks have waited, for effects or before they repeat a delivery, in milliseconds. */
  waitedMs: 0,
  /** Set if the endpoint handles an event only after the earlier events of its call. */
  needsPredecessors: false,
  /** Set if the first GROUP_CREATED had an effect. */
  showsGroups: false,
  /** Set if two different events of one name about one call have an effect each; `undefined` until it is known. */
  countsEvents: undefined as boolean | undefined,
  /** Set if a check could not tell whether what it saw is a mistake: the machine was busy, or the effects may be cut. */
  leftOpen: false,
  /** The id of the first check that a rate limit made inconclusive. */
  limitedAt: undefined as string | undefined,
  /** The id of the check after which the endpoint stopped accepting genuine deliveries. */
  downSince: undefined as string | undefined,
  /** A delivery that was accepted before all other checks, and when; `undefined` if effects prove nothing. */
  early: undefined as { readonly delivery: Delivery; readonly sentAt: number } | undefined,
  /** Number of effects that a call has before its summary, if the endpoint needs the call's earlier events. */
  effectsBefore: 0,
  /** Forgeries to which the endpoint responded 5xx. */
  failedForgeries: [] as { readonly label: string; readonly exchange: Exchange }[],
  /** Set if the endpoint refused a forgery without failing. */
  refusesForgery: false,
  /** Subjects of deliveries that were refused, or wrongly accepted without an effect. None may have an effect later. */
  refusedSubjects: new Set<string>(),
  /** All requests and responses of the run, except raw bytes. */
  exchanges: [] as Exchange[],
})
