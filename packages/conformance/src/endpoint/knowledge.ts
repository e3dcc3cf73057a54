import type { EventName } from '@wabakit/contract'
import type { Exchange } from './send.ts'

/** The findings of the run so far, on which later checks depend. */
export type Knowledge = {
  /** The genuine deliveries of the control, in order. */
  controls: Exchange[]
  /** Set if the endpoint accepted them; `undefined` until they were sent. */
  acceptsGenuine: boolean | undefined
  /** The probable reason for a refusal. */
  controlProblem: string
  /** An event that leaves an effect; `undefined` until one has. */
  effectName: EventName | undefined
  /** The reason why effects prove nothing. */
  effectsProblem: string
  /** Time that the first effect took, in milliseconds. */
  effectLatencyMs: number
  /** Total time for which effects were waited for, in milliseconds. */
  waitedMs: number
  /** Set if the endpoint handles events of a call only after the call's earlier events. */
  needsPredecessors: boolean
  /** The check since which the endpoint no longer responds. */
  downSince: string | undefined
  /** Effects that a call has before its summary, where the endpoint needs to know the call. */
  effectsBefore: number
  /** Subjects of refused deliveries, which must have no effects. */
  readonly refusedSubjects: Set<string>
  /** Everything that was sent and received. */
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
