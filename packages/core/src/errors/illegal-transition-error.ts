/** An action is not possible in the current state of a call or a participant. Nothing was changed. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError'
  readonly code = 'illegal_transition'
  readonly machine: 'call' | 'participant'
  readonly state: string
  readonly action: string

  constructor(step: {
    readonly machine: 'call' | 'participant'
    readonly state: string
    readonly action: string
    readonly legal: readonly string[]
  }) {
    const legal =
      step.legal.length === 0 ? 'no further action is possible' : `possible: ${step.legal.join(', ')}`
    super(`Cannot ${step.action} a ${step.machine} that is ${step.state} (${legal}).`)
    this.machine = step.machine
    this.state = step.state
    this.action = step.action
  }
}
