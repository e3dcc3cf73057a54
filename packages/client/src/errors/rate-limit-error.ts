import { ApiError } from './api-error.ts'

/** 429: too many requests. `retryAfterMs` is the wait that the service asks for, in milliseconds, if it named one. */
export class RateLimitError extends ApiError {
  override get name() {
    return 'RateLimitError' as const
  }
}
