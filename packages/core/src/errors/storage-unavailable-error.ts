/**
 * A store cannot be reached, or rejected a change. Nothing was changed. The API endpoints respond with 503
 * `storage_unavailable` and `Retry-After`. If a change may have been committed, a store throws
 * `StorageOutcomeUnknownError`.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  /** Identifies the error. */
  readonly code = 'storage_unavailable'
  /** Time to wait before the next try, in milliseconds. */
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
