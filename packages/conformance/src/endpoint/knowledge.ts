import type { EventName } from '@wabakit/contract'
import type { Exchange } from './send.ts'

/** What the run has found out about the endpoint so far. Later checks depend on it. */
export type Knowledge = {
  /** The genuine deliveries of the control, in order. */
  controls: Exchange[]
  /** Whether the endpoint accepted them; `undefined` until they were sent. */
  acceptsGenuine: boolean | undefined
  /** Why it probably did not. */
  controlProblem: string
  /** An event that leaves an effect; `undefined` until one has. */
  effectName: EventName | undefined
  /** Why the effects prove nothing. */
  effectsProblem: string
  /** Time that the first effect took, in milliseconds. */
  effectLatencyMs: number
  /** Whether the endpoint handles events of a call only when it has seen the call before. */
  needsPredecessors: boolean
  /** The check since which the endpoint does not respond any more. */
  downSince: string | undefined
  /** Effects that a call has before its summary, where the endpoint needs to know the call. */
  effectsBefore: number
  /** Subjects that no accepted delivery was about, but perhaps for what had to come before it. */
  readonly refusedSubjects: Set<string>
  /** Everything that was sent and received. */
  readonly exchanges: Exchange[]
  /** Secrets and correct signatures that were found in responses. */
  readonly leaks: Set<string>
}

/** Creates the knowledge of a run that has sent nothing. */
export const createKnowledge = (): Knowledge => ({
  controls: [],
  acceptsGenuine: undefined,
  controlProblem: 'no genuine delivery was sent',
  effectName: undefined,
  effectsProblem: 'no genuine delivery left an effect',
  effectLatencyMs: 0,
  needsPredecessors: false,
  downSince: undefined,
  effectsBefore: 0,
  refusedSubjects: new Set(),
  exchanges: [],
  leaks: new Set(),
})
