import type { Issue } from '@wabakit/contract'
import { WabakitError } from './wabakit-error.ts'

/** An option or an input is not allowed. Nothing was sent. `issues` names each field and what is wrong with it. */
export class ValidationError extends WabakitError {
  override get name() {
    return 'ValidationError' as const
  }
  readonly code = 'invalid_input'
  /** What is wrong with which field; never empty. */
  readonly issues: readonly Issue[]

  constructor(place: string, issues: readonly Issue[]) {
    super(`Invalid input of ${place}: ${issues.map(({ message }) => message).join('; ')}`)
    this.issues = issues
  }
}
