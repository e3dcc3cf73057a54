import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'
import { equalsInConstantTime } from '../signature/constant-time.ts'
import type { Verifier } from './verifier.ts'

/** What a header must say, for a verifier that looks at one header only. */
export type ExpectedHeader = {
  /** Name of the header. */
  readonly header: string
  /** Every value that is accepted. */
  readonly values: readonly string[]
  /** Brings a received value into the form of the expected ones. */
  readonly normalise: (value: string) => string
}

/** A verifier that compares one header in constant time, before the body is read. */
export const headerVerifier = ({ header, values, normalise }: ExpectedHeader): Verifier => {
  const checkHeaders = (headers: Headers): void => {
    const received = headers.get(header)
    if (received === null) {
      throw new WebhookVerificationError('missing_header', `The header ${header} is missing.`, { header })
    }
    // All are compared, so that the time does not tell which one it was.
    const candidate = normalise(received)
    if (values.filter((value) => equalsInConstantTime(value, candidate)).length > 0) return
    throw new WebhookVerificationError('no_matching_signature', `The header ${header} has another value.`, {
      header,
    })
  }
  return Object.assign(
    ({ headers }: Parameters<Verifier>[0]) => {
      checkHeaders(headers)
      return true
    },
    { checkHeaders },
  )
}

/**
 * One value or several as a list in which none is empty: an empty one would let anybody in.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`.
 */
export const nonEmptyValues = (what: string, value: string | readonly string[]): readonly string[] => {
  const values = typeof value === 'string' ? [value] : (value ?? [])
  if (values.length > 0 && values.every((each) => typeof each === 'string' && each.trim() !== ''))
    return values
  throw new WebhookVerificationError(
    'invalid_secret',
    `The ${what} is empty. Is the variable that holds it set?`,
  )
}
