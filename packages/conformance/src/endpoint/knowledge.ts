import type { EventName } from '@wabakit/contract'
import type { Exchange } from './send.ts'

/** The run's results so far, on which later checks depend. */
export type Knowledge = {
  /** The control's genuine deliveries, in order. */
  controls: Exchange[]
  /** Set if the endpoint accepted the control's deliveries; `undefined` until they have been sent. */
  acceptsGenuine: boolean | undefined
  /** The probable reason why the control was refused. */
  controlProblem: string
  /** The name of an event that has an effect; `undefined` until an effect is seen. */
  effectName: EventName | undefined
  /** The reason why effects prove nothing. */
  effectsProblem: string
  /** Time until the first effect became visible, in milliseconds. */
  effectLatencyMs: number
  /** Total time spent waiting for effects, in milliseconds. */
  waitedMs: number
  /** Set if the endpoint handles a call's events only after the call's earlier events. */
  needsPredecessors: boolean
  /** The id of the check after which the endpoint stopped accepting genuine deliveries. */
  downSince: string | undefined
  /** Number of effects that a call has before its summary, if the endpoint needs the call's earlier events. */
  effectsBefore: number
  /** Subjects of refused deliveries, which must have no effects. */
  readonly refusedSubjects: Set<string>
  /** All requests and responses of the run. */
  readonly exchanges: Exchange[]
  /** Secrets and correct signatures found in responses. */
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
