import { WabakitError } from './wabakit-error.ts'

/**
 * Time ran out: of an attempt (`timeoutMs`), of the whole call (`totalTimeoutMs`), or of `waitForSummary`
 * (`maxWaitMs`). `cause`, where there is one, is the last failure before that.
 */
export class TimeoutError extends WabakitError {
  override get name() {
    return 'TimeoutError' as const
  }
  readonly code = 'timed_out'
  /** The limit that was reached, in milliseconds. */
  readonly timeoutMs: number
  /** `true`: the request provably never left this machine. `false`: not known. */
  readonly neverSent: boolean

  constructor(message: string, details: { timeoutMs: number; neverSent: boolean; cause?: unknown }) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.timeoutMs = details.timeoutMs
    this.neverSent = details.neverSent
  }
}
