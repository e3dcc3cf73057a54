import { WabakitError } from './wabakit-error.ts'

/** The properties that a {@link TimeoutError} adds to those of `WabakitError`. */
export type TimeoutErrorDetails = Omit<TimeoutError, keyof WabakitError>

/**
 * The time limit was reached before a complete response arrived. `cause` is the last failure before that, if any. A
 * create request rejects with it only if the request provably never left this machine; otherwise with an
 * `OutcomeUnknownError`.
 */
export class TimeoutError extends WabakitError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError'
  }
  readonly code = 'timed_out'
  /** The option that sets the limit: of an attempt, of a call with its retries, or of `waitForSummary`. */
  declare readonly limit: 'timeoutMs' | 'totalTimeoutMs' | 'maxWaitMs'
  /** The limit in milliseconds. */
  declare readonly timeoutMs: number
  /** `true` if the request provably never left this machine; `false` if that is not known. */
  declare readonly neverSent: boolean

  constructor(message: string, details: TimeoutErrorDetails, options?: ErrorOptions) {
    super(message, options)
    Object.assign(this, details)
  }
}
