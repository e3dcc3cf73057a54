/** A step that the state machine of a call or a membership does not have; nothing was changed. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError'
  /** For programs; always this. */
  readonly code = 'illegal_transition'
  /** Which machine. */
  readonly machine: 'call' | 'participant'
  /** The state it is in. */
  readonly state: string
  /** The step that was asked for. */
  readonly action: string

  /** @param step - which machine, the state it is in, the step asked for, and the steps that it has. */
  constructor(step: {
    readonly machine: 'call' | 'participant'
    readonly state: string
    readonly action: string
    readonly legal: readonly string[]
  }) {
    const legal =
      step.legal.length === 0 ? 'nothing more can happen to it' : `possible: ${step.legal.join(', ')}`
    super(`Cannot ${step.action} a ${step.machine} that is ${step.state} (${legal}).`)
    this.machine = step.machine
    this.state = step.state
    this.action = step.action
  }
}
