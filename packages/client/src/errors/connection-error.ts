import { WabakitError } from './wabakit-error.ts'

/**
 * No answer came: the connection was refused, reset or cut, or the host is unknown. `cause` is what the runtime
 * said. A create that may have been carried out is never reported so, but as `OutcomeUnknownError`.
 */
export class ConnectionError extends WabakitError {
  override get name() {
    return 'ConnectionError' as const
  }
  readonly code = 'connection_failed'
  /** `true`: the request provably never left this machine. `false`: not known. */
  readonly neverSent: boolean

  constructor(message: string, { neverSent, cause }: { neverSent: boolean; cause: unknown }) {
    super(message, { cause })
    this.neverSent = neverSent
  }
}
