import type { Issue } from '@wabakit/contract'

/** An operation's input cannot be right; nothing was changed. `issues` says which fields, and why. */
export class InputError extends Error {
  override readonly name = 'InputError'
  /** For programs; always this. */
  readonly code = 'invalid_input'
  /** What is wrong with which field. */
  readonly issues: readonly Issue[]

  /** @param issues - at least one. */
  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '))
    this.issues = issues
  }
}
