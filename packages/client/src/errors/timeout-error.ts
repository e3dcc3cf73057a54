import { WabakitError } from './wabakit-error.ts'

/** What a {@link TimeoutError} knows of the limit that was reached. */
export type TimeoutErrorDetails = {
  /** The option that sets the limit: of an attempt, of the call with its repetitions, or of `waitForSummary`. */
  readonly limit: 'timeoutMs' | 'totalTimeoutMs' | 'maxWaitMs'
  /** The limit in milliseconds. */
  readonly timeoutMs: number
  /** `true`: the request provably never left this machine. `false`: not known. */
  readonly neverSent: boolean
}

/**
 * Time ran out before a whole answer came. `cause`, where there is one, is the last failure before that. A create
 * that may have been carried out is never reported so, but as `OutcomeUnknownError`.
 */
export class TimeoutError extends WabakitError implements TimeoutErrorDetails {
  override get name() {
    return 'TimeoutError' as const
  }
  readonly code = 'timed_out'
  readonly limit: TimeoutErrorDetails['limit']
  readonly timeoutMs: number
  readonly neverSent: boolean

  constructor(message: string, details: TimeoutErrorDetails, options?: ErrorOptions) {
    super(message, options)
    this.limit = details.limit
    this.timeoutMs = details.timeoutMs
    this.neverSent = details.neverSent
  }
}
