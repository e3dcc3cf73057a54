/**
 * A store lost its database while it committed a change: the change may have been made or not. The endpoints answer 503
 * `outcome_unknown` without `Retry-After`. When nothing can have been changed, a store throws
 * `StorageUnavailableError` instead.
 */
export class StorageOutcomeUnknownError extends Error {
  override readonly name = 'StorageOutcomeUnknownError'
  /** For programs; always this. */
  readonly code = 'outcome_unknown'

  /**
   * @param message - what failed and what to do.
   * @param options - the `cause`.
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
  }
}
