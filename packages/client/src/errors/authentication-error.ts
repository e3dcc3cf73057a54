import { ApiError } from './api-error.ts'

/** 401: the API key is missing or invalid. */
export class AuthenticationError extends ApiError {
  override get name() {
    return 'AuthenticationError' as const
  }
}
