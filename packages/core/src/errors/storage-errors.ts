/**
 * A store cannot be reached, or failed before it changed anything. The API endpoints respond with 503
 * `storage_unavailable` and `Retry-After`. If a change may have been committed, a store throws
 * `StorageOutcomeUnknownError`.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  readonly code = 'storage_unavailable'
  /** Time to wait before trying again, in milliseconds. */
  readonly retryAfterMs: number

  /**
   * @param message - what failed and what to do.
   * @param options - the `cause`, and `retryAfterMs` (default 1,000).
   */
  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options)
    this.retryAfterMs = options.retryAfterMs ?? 1_000
  }
}

/**
 * A store lost its database during a commit, so the change may or may not have been made, or it failed between the
 * changes of one operation. The API endpoints respond with 503 `outcome_unknown` without `Retry-After`. If nothing can
 * have been changed, a store throws `StorageUnavailableError`.
 */
export class StorageOutcomeUnknownError extends Error {
  override readonly name = 'StorageOutcomeUnknownError'
  readonly code = 'outcome_unknown'
}
