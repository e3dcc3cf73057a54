import type { Issue } from '@wabakit/wire'
import { WabakitError } from './wabakit-error.ts'

/** An option or an input is invalid. No request was sent. */
export class ValidationError extends WabakitError {
  override get name(): 'ValidationError' {
    return 'ValidationError'
  }
  readonly code = 'invalid_input'
  /** The invalid fields and options; never empty. */
  readonly issues: readonly Issue[]

  /** @param target - the function that was called, such as `groups.create`. */
  constructor(target: string, issues: readonly Issue[]) {
    super(`Invalid input to ${target}: ${issues.map(({ message }) => message).join('; ')}`)
    this.issues = issues
  }
}
