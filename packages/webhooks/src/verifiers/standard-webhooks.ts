import { checkSignature } from '../signature/check-signature.ts'
import { readSignatureHeaders } from '../signature/signature-headers.ts'
import { type SignatureOptions, signatureRules } from '../signature/verify-signature.ts'
import type { Verifier } from './verifier.ts'

/**
 * Accepts deliveries signed by Standard Webhooks 1.0. A request without well-formed signature headers is refused
 * before its body is read.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`, here and not on the first request.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 * @example
 * const verify = standardWebhooks({ secrets: [current, previous] })
 */
export const standardWebhooks = (options: SignatureOptions): Verifier => {
  const rules = signatureRules(options)
  const verify: Verifier = ({ headers, body }) => {
    const checked = checkSignature({ headers: readSignatureHeaders(headers), body }, rules)
    return checked instanceof Promise ? checked.then(() => true) : true
  }
  return Object.assign(verify, {
    checkHeaders: (headers: Headers): void => {
      readSignatureHeaders(headers)
    },
  })
}
