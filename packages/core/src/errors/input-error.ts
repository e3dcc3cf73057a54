import type { Issue } from '@wabakit/contract'

/** The input to an operation is invalid. Nothing was changed. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code = 'invalid_input'
  /** The invalid fields, and why they are invalid. */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '))
    this.issues = issues
  }
}
