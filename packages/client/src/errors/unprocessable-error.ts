import { ApiError } from './api-error.ts'

/** 422: a business rule forbids it, such as a disabled integration or a `groupId` that another group has. */
export class UnprocessableError extends ApiError {
  override get name(): 'UnprocessableError' | 'SummaryUnavailableError' {
    return 'UnprocessableError'
  }
}
