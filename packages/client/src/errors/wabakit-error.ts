import type { ErrorCode } from '@wabakit/contract'
import { escapeControls } from '@wabakit/contract/escape-controls'

/** Every `code` that an error of this package may carry: the service's closed list, and what the client adds. */
export type WabakitErrorCode =
  | ErrorCode
  | 'unknown'
  | 'invalid_input'
  | 'connection_failed'
  | 'timed_out'
  | 'unexpected_response'

// Known to every copy of this package, so that the guard holds where a program has two of them.
const brand = Symbol.for('wabakit.error')

/**
 * What every error of this package extends. `name` is literal and `code` is from a closed list, so both can be
 * switched on. No message, property, `inspect()` or JSON of such an error holds the API key.
 */
export abstract class WabakitError extends Error {
  /** The name of the error's class, literal and safe from minifying; for `switch` and logs. */
  abstract override get name(): string
  /** From the closed list; for programs. */
  abstract readonly code: WabakitErrorCode

  /** @param message - may repeat what a server said; a log or a terminal must not obey it. */
  constructor(message: string, options?: ErrorOptions) {
    super(escapeControls(message), options)
  }
}

Object.defineProperty(WabakitError.prototype, brand, { value: true })

/**
 * Tells whether `error` is one of this package's errors, also where two copies of the package are loaded and
 * `instanceof` would fail.
 */
export const isWabakitError = (error: unknown): error is WabakitError =>
  typeof error === 'object' && error !== null && brand in error
