import { ApiError } from './api-error.ts'

/** 403: the API key has no permission for this `wabaNumber`, is revoked, or may not be used from this address. */
export class PermissionDeniedError extends ApiError {
  override get name() {
    return 'PermissionDeniedError' as const
  }
}
