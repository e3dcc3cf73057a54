import { IllegalTransitionError } from './errors/operation-errors.ts'
import type { CallWithSummary } from './store.ts'

/**
 * The states of a call. Each state lists its possible actions and the states that they lead to. A summary may be
 * generated again, which replaces it without an event.
 */
export const callTransitions = {
  initiated: { accept: 'accepted', miss: 'missed', reject: 'rejected' },
  accepted: { end: 'ended' },
  ended: { summarize: 'summarized' },
  summarized: { summarize: 'summarized' },
  missed: {},
  rejected: {},
} as const

/** The states of a person's membership in a group. A person who left or was removed can join again. */
export const participantTransitions = {
  outside: { join: 'joined' },
  joined: { leave: 'left', remove: 'removed' },
  left: { join: 'joined' },
  removed: { join: 'joined' },
} as const

const transitions = { call: callTransitions, participant: participantTransitions } as const

type Kind = keyof typeof transitions

type StateOf<Name extends Kind> = keyof (typeof transitions)[Name] & string

type StepsOf<Name extends Kind> = (typeof transitions)[Name][keyof (typeof transitions)[Name]]

type KeyOf<Steps> = Steps extends unknown ? keyof Steps & string : never

export type ActionOf<Name extends Kind> = KeyOf<StepsOf<Name>>

type TargetOf<Steps, Action extends string> =
  Steps extends Readonly<Record<Action, infer Next extends string>> ? Next : never

/** Returns the state that an action leads to, or throws an IllegalTransitionError if it is not possible. */
export const step = <Name extends Kind, Action extends ActionOf<Name>>(
  kind: Name,
  state: StateOf<Name>,
  action: Action,
): TargetOf<StepsOf<Name>, Action> => {
  const steps = transitions[kind][state] as Readonly<Record<string, string>>
  const next = steps[action]
  if (next === undefined) {
    throw new IllegalTransitionError({ kind, state, action, legal: Object.keys(steps) })
  }
  return next as TargetOf<StepsOf<Name>, Action>
}

/** Returns the state of a call in `callTransitions`. A call with a summary is `summarized`. */
export const getCallState = ({ call, summary }: CallWithSummary): StateOf<'call'> =>
  summary === undefined ? call.state : 'summarized'
