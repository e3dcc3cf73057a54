import { IllegalTransitionError } from './errors/illegal-transition-error.ts'
import type { CallWithSummary } from './store.ts'

/**
 * The states of a call. Each state lists its possible actions and the states that they lead to. A summary may be
 * generated again, which replaces it without an event.
 */
export const callMachine = {
  initiated: { accept: 'accepted', miss: 'missed', reject: 'rejected', ringOut: 'not_picked' },
  accepted: { end: 'ended' },
  ended: { summarize: 'summarized' },
  summarized: { summarize: 'summarized' },
  missed: {},
  rejected: {},
  not_picked: {},
} as const

/** The states of a person's membership in a group. A person who left or was removed can join again. */
export const participantMachine = {
  outside: { join: 'joined' },
  joined: { leave: 'left', remove: 'removed' },
  left: { join: 'joined' },
  removed: { join: 'joined' },
} as const

export const machines = { call: callMachine, participant: participantMachine } as const

export type MachineName = keyof typeof machines

export type StateOf<Name extends MachineName> = keyof (typeof machines)[Name] & string

type Steps<Name extends MachineName> = (typeof machines)[Name][keyof (typeof machines)[Name]]

export type ActionOf<Name extends MachineName> =
  Steps<Name> extends infer Each ? (Each extends unknown ? keyof Each & string : never) : never

export type NextStateOf<Name extends MachineName, Action extends ActionOf<Name>> =
  Steps<Name> extends infer Each
    ? Each extends { readonly [Key in Action]: infer Next extends string }
      ? Next
      : never
    : never

/**
 * Returns the state that an action leads to.
 *
 * @throws IllegalTransitionError if the action is not possible in this state.
 */
export const step = <Name extends MachineName, Action extends ActionOf<Name>>(
  machine: Name,
  state: StateOf<Name>,
  action: Action,
): NextStateOf<Name, Action> => {
  const steps: Readonly<Record<string, string>> = machines[machine][state] as Readonly<Record<string, string>>
  const next = steps[action]
  if (next === undefined) {
    throw new IllegalTransitionError({ machine, state, action, legal: Object.keys(steps) })
  }
  return next as NextStateOf<Name, Action>
}

/** Returns the state of a call in `callMachine`. A call with a summary is `summarized`. */
export const getCallState = ({ call, summary }: CallWithSummary): StateOf<'call'> =>
  summary === undefined ? call.state : 'summarized'
