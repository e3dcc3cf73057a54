import { IllegalTransitionError } from './errors/illegal-transition-error.ts'

/**
 * The steps of a call. Each state lists what can happen to the call in it, and the state that follows. A summary may
 * be generated again: that replaces it, and no event tells so.
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

/** The steps of one person's membership in one group. Who left or was removed can join again. */
export const participantMachine = {
  outside: { join: 'joined' },
  joined: { leave: 'left', remove: 'removed' },
  left: { join: 'joined' },
  removed: { join: 'joined' },
} as const

/** Both machines by name. */
export const machines = { call: callMachine, participant: participantMachine } as const

/** Name of a machine: `call` or `participant`. */
export type MachineName = keyof typeof machines

/** A state of a machine. */
export type StateOf<Name extends MachineName> = keyof (typeof machines)[Name] & string

type Steps<Name extends MachineName> = (typeof machines)[Name][keyof (typeof machines)[Name]]

/** A step that some state of a machine has. */
export type ActionOf<Name extends MachineName> =
  Steps<Name> extends infer Each ? (Each extends unknown ? keyof Each & string : never) : never

/** The state that a step leads to. */
export type NextStateOf<Name extends MachineName, Action extends ActionOf<Name>> =
  Steps<Name> extends infer Each
    ? Each extends { readonly [Key in Action]: infer Next extends string }
      ? Next
      : never
    : never

/**
 * The state after a step.
 *
 * @throws IllegalTransitionError when the state does not have the step.
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
