import { UnprocessableError } from './unprocessable-error.ts'

/** 422 of the fetch: this call can never have a summary (missed, rejected, not recorded, or nothing was said). */
export class SummaryUnavailableError extends UnprocessableError {
  override get name() {
    return 'SummaryUnavailableError' as const
  }
}
