import { WabakitError } from './wabakit-error.ts'

/**
 * There was no complete response: the host is unknown, or the connection was refused, reset or closed. `cause` is the
 * runtime's error. A create request rejects with it only if the request provably never left this machine; otherwise
 * with an `OutcomeUnknownError`.
 */
export class ConnectionError extends WabakitError {
  override get name(): 'ConnectionError' {
    return 'ConnectionError'
  }
  readonly code = 'connection_failed'
  /** `true` if the request provably never left this machine; `false` if that is not known. */
  readonly neverSent: boolean

  constructor(message: string, { neverSent, cause }: { neverSent: boolean; cause: unknown }) {
    super(message, { cause })
    this.neverSent = neverSent
  }
}
