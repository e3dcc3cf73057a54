/**
 * A store lost its database during a commit, so the change may have been made or not. The API endpoints respond with 503
 * `outcome_unknown` without `Retry-After`. If nothing can have been changed, a store throws `StorageUnavailableError`.
 */
export class StorageOutcomeUnknownError extends Error {
  override readonly name = 'StorageOutcomeUnknownError'
  /** Identifies the error. */
  readonly code = 'outcome_unknown'

  /**
   * @param message - what failed and what to do.
   * @param options - the `cause`.
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
  }
}
