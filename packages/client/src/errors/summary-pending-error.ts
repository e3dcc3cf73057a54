import { ApiError } from './api-error.ts'

/** 202: the call is going on, or its summary is still being made. `retryAfterMs` says when to ask again, in milliseconds. */
export class SummaryPendingError extends ApiError {
  override get name() {
    return 'SummaryPendingError' as const
  }
}
