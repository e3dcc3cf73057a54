import { ApiError } from './api-error.ts'

/** 404: the call is unknown to the organization, or has no summary yet. */
export class NotFoundError extends ApiError {
  override get name() {
    return 'NotFoundError' as const
  }
}
