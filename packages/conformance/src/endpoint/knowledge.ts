import type { EventName } from '@wabakit/contract'
import type { Delivery } from './payloads.ts'
import type { Exchange } from './send.ts'

/** The run's results so far, on which later checks depend. */
export type Knowledge = ReturnType<typeof createKnowledge>

export const createKnowledge = () => ({
  /** The deliveries of the control's first call and their responses, in order. */
  controls: [] as Exchange[],
  /** Whether the endpoint accepted the events of the control's first call; `undefined` until they have been sent. */
  acceptsGenuine: undefined as boolean | undefined,
  /** The probable reason for refusing the control. */
  controlProblem: 'no genuine delivery was sent',
  /** The mistake that the control's refused or lost deliveries prove. */
  controlMistake: undefined as string | undefined,
  /** Set if a call's summary had no effect after the call's earlier events, although one on its own had. */
  losesLaterEvents: false,
  /** The id of the check in which deliveries that were sent at once were accepted, but some had no effect. */
  lossAtOnce: undefined as string | undefined,
  /** The id of the check in which events about one group that were sent at once were accepted, but some had no effect. */
  lossInRecord: undefined as string | undefined,
  /** The id of the check in which a delivery was lost, although one like it had an effect. */
  lossByChance: undefined as string | undefined,
  /** Whether a forgery is accepted if its URL has any query, and refused without one. */
  acceptsAnyQuery: false,
  /** The id of the check in which deliveries that were sent once had several effects. */
  doubledAt: undefined as string | undefined,
  /** The name of an event that has an effect; `undefined` until an effect is seen. */
  effectName: undefined as EventName | undefined,
  /** Why effects prove nothing, if no effect was seen. */
  effectsProblem: 'no genuine delivery left an effect',
  /** Set while effects cannot be read, although they were tried for a while. */
  effectsUnreadable: false,
  /** Like `effectWithinMs`, but 0 if the first effect was visible before the numbers of effects had settled for the first time. */
  effectLatencyMs: 0,
  /**
   * Time that the first effect took, in milliseconds: from the last response to the control's first call until effects were
   * first read or, if they lacked it then, last lacked it. It includes the responses to the two deliveries in between.
   */
  effectWithinMs: 0,
  /** Time that has been waited for effects, for a 503 to end, and in `remembers-for-a-minute`, in milliseconds. */
  waitedMs: 0,
  /** Set if the endpoint handles an event only after the earlier events of its call. */
  needsPredecessors: false,
  /** Set if a summary shows in the effects of its call, but was lost without the earlier events of the call. */
  losesUnknownCalls: false,
  /** Set if the endpoint responded 5xx to an event with an unknown name. */
  failsAtUnknownNames: false,
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
  /** A delivery that the control sent last, and when; `undefined` if it was not accepted, or effects prove nothing. */
  early: undefined as { readonly delivery: Delivery; readonly sentAt: number } | undefined,
  /** Number of lines that the effects show for a summary that was sent once, if their words differ; otherwise 1. */
  linesPerEffect: 1,
  /** Number of effects that a call has before its summary, if the endpoint needs the call's earlier events. */
  effectsBefore: 0,
  /** Forgeries to which the endpoint responded 5xx, but for 503, and for those that the finding of a failed check names. */
  failedForgeries: [] as { readonly label: string; readonly exchange: Exchange }[],
  /** Set if the endpoint refused a forgery without failing. */
  refusesForgery: false,
  /** Subjects of deliveries that were refused, or wrongly accepted without an effect. None may have an effect later. */
  refusedSubjects: new Set<string>(),
  /** Set while the endpoint handles nothing that it accepts: deliveries without an effect, and the name of the event that had one before. */
  stuck: undefined as
    | { readonly effectName: EventName; readonly deliveries: readonly Delivery[] }
    | undefined,
  /** All requests and responses of the run, except raw bytes, with the ids of their checks. */
  exchanges: [] as (Exchange & { readonly checkId: string })[],
})
