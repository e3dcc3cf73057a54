import type { EventName } from '@wabakit/contract'
import type { Exchange } from './send.ts'

/** The results of the run so far, on which later checks depend. */
export type Knowledge = {
  /** The genuine deliveries of the control, in order. */
  controls: Exchange[]
  /** Set if the endpoint accepted them; `undefined` until they have been sent. */
  acceptsGenuine: boolean | undefined
  /** The probable reason for a refusal. */
  controlProblem: string
  /** The name of an event that has an effect; `undefined` until an effect has been seen. */
  effectName: EventName | undefined
  /** The reason why effects prove nothing. */
  effectsProblem: string
  /** Time until the first effect was visible, in milliseconds. */
  effectLatencyMs: number
  /** Total time spent waiting for effects, in milliseconds. */
  waitedMs: number
  /** Set if the endpoint handles events of a call only after the call's earlier events. */
  needsPredecessors: boolean
  /** The id of the check after which the endpoint no longer accepted genuine deliveries. */
  downSince: string | undefined
  /** Number of effects that a call has before its summary, if the endpoint needs the call's earlier events. */
  effectsBefore: number
  /** Subjects of refused deliveries, which must have no effects. */
  readonly refusedSubjects: Set<string>
  /** All requests and responses of the run. */
  readonly exchanges: Exchange[]
  /** Secrets and correct signatures that were found in responses. */
  readonly leaks: Set<string>
}

export const createKnowledge = (): Knowledge => ({
  controls: [],
  acceptsGenuine: undefined,
  controlProblem: 'no genuine delivery was sent',
  effectName: undefined,
  effectsProblem: 'no genuine delivery left an effect',
  effectLatencyMs: 0,
  waitedMs: 0,
  needsPredecessors: false,
  downSince: undefined,
  effectsBefore: 0,
  refusedSubjects: new Set(),
  exchanges: [],
  leaks: new Set(),
})
