import { ApiError } from './api-error.ts'

/** 400: a field is missing or invalid, or no integration matches `wabaNumber`. `issues` says which field. */
export class BadRequestError extends ApiError {
  override get name() {
    return 'BadRequestError' as const
  }
}
