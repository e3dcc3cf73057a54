import type { ErrorCode, Issue } from '@wabakit/wire'
import { escapeControls } from '@wabakit/wire'

/** Every possible `code` of this package's errors: the documented codes of the service, and those that the client adds. */
export type WabakitErrorCode =
  | ErrorCode
  | 'unknown'
  | 'invalid_input'
  | 'connection_failed'
  | 'timed_out'
  | 'unexpected_response'

/**
 * The base class of all errors in this package. `name` is a literal and `code` is a union of literals, so you can
 * switch on either. The API key never appears in the message, the properties, `inspect()` or the JSON of an error.
 */
export abstract class WabakitError extends Error {
  /** The name of the class. It survives minification. */
  abstract override get name(): string
  /** A machine-readable code. */
  abstract readonly code: WabakitErrorCode

  /** @param message - may quote a server. Its control characters are escaped for logs and terminals. */
  constructor(message: string, options?: ErrorOptions, details?: object) {
    super(escapeControls(message), options)
    Object.assign(this, details)
  }
}

// A symbol in the global registry, so that the guard also recognizes errors from another copy of this package.
const brand = Symbol.for('wabakit.error')
Object.defineProperty(WabakitError.prototype, brand, { value: true })

/** Checks whether `error` is a {@link WabakitError}, even if it comes from another copy of this package. */
export const isWabakitError = (error: unknown): error is WabakitError =>
  typeof error === 'object' && error !== null && brand in error

/** Joins the messages of issues for the message of an error. */
export const joinMessages = (issues: readonly Issue[]): string =>
  issues.map(({ message }) => message).join('; ')

/** An option or input is invalid. No request was sent. */
export class ValidationError extends WabakitError {
  override get name(): 'ValidationError' {
    return 'ValidationError'
  }
  readonly code = 'invalid_input'
  /** The invalid fields and options; never empty. */
  declare readonly issues: readonly Issue[]

  /** @param target - the called function, such as `groups.create`. */
  constructor(target: string, issues: readonly Issue[]) {
    super(`Invalid input to ${target}: ${joinMessages(issues)}`, undefined, { issues })
  }
}
