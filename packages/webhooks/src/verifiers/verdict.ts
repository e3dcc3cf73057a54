import { isTagged } from '../bytes.ts'
import { WebhookRequestError } from '../errors.ts'
import { readUnsignedHeaders } from './signature-headers.ts'
import type { VerifiedByAny, VerifiedDelivery, Verifier } from './verifier.ts'

const isVerified = (verdict: unknown): verdict is VerifiedDelivery => {
  const { id, sentAt, verifiedBy } = Object(verdict)
  return (typeof id === 'string' && id !== '' && isTagged(sentAt, 'Date')) || Object(verifiedBy).length > 0
}

type Vouched = Pick<VerifiedByAny, 'id' | 'sentAt'> & Partial<Pick<VerifiedByAny, 'verifiedBy'>>

/** Interprets the result of a verifier. Only `true`, or an object of the documented form, accepts the delivery. */
export const readVerdict = (verdict: unknown, headers: Headers): Vouched => {
  if (verdict === true) return readUnsignedHeaders(headers)
  if (isVerified(verdict)) return verdict
  throw new WebhookRequestError('not_verified', 'The verify function did not return true.')
}

/** The name of a verifier in `context.verifiedBy` and in refusals. */
export const toScheme = ({ scheme = 'function' }: Verifier): string => scheme
