/**
 * A store cannot be reached, or refused a change: nothing was changed. The endpoints answer 503 `storage_unavailable`
 * with `Retry-After`. When a change may have been committed, a store throws `StorageOutcomeUnknownError` instead.
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  /** For programs; always this. */
  readonly code = 'storage_unavailable'
  /** When another try is worth it, in milliseconds. */
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
