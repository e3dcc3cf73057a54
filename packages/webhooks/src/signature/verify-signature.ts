import type { HeaderSource } from '../headers.ts'
import { toBytes, type WebhookPayload } from '../payload.ts'
import { checkSignature, type SignatureRules, type VerifiedSignature } from './check-signature.ts'
import { readSignatureHeaders } from './signature-headers.ts'
import { signersOf } from './signers.ts'
import { assertTolerance, defaultToleranceSeconds } from './tolerance.ts'

/** The secrets and the tolerance that signatures are verified with. */
export type SignatureOptions = {
  /** Every secret that may have signed; while one is rotated, the current and the previous. At least one. */
  readonly secrets: readonly string[]
  /**
   * Seconds that a signature may be old or lie in the future, bounds included. 0 means the same second, `Infinity`
   * any time.
   * @default 300
   */
  readonly toleranceSeconds?: number
  /**
   * Accept secrets of fewer than 24 bytes, for secrets that another system made.
   * @default false
   */
  readonly allowShortSecrets?: boolean
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: () => number
}

/** What {@link verifySignature} verifies, and with what. */
export type VerifySignatureOptions = SignatureOptions & {
  /** The body exactly as it came in. Never what a JSON parser made of it. */
  readonly payload: WebhookPayload
  /** The request's headers. */
  readonly headers: HeaderSource
}

/**
 * The options with their defaults, and a key made of each secret.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 */
export const signatureRules = ({
  secrets,
  toleranceSeconds = defaultToleranceSeconds,
  allowShortSecrets = false,
  now = () => Date.now(),
}: SignatureOptions): SignatureRules => {
  assertTolerance(toleranceSeconds)
  return { signers: signersOf(secrets, allowShortSecrets), toleranceSeconds, now }
}

/**
 * Verifies one delivery's signature by Standard Webhooks 1.0: over the bytes as they came, in constant time, against
 * every secret, skipping signatures of unknown versions.
 *
 * @returns the id and the timestamp that the signature vouches for.
 * @throws WebhookVerificationError with a closed `reason` when it is not accepted.
 * @throws TypeError when the payload is neither text nor bytes: it was parsed, and cannot be verified any more.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 * @example
 * const { id } = await verifySignature({ payload: rawBody, headers: request.headers, secrets: [secret] })
 */
export const verifySignature = async (options: VerifySignatureOptions): Promise<VerifiedSignature> => {
  const rules = signatureRules(options)
  const headers = readSignatureHeaders(options.headers)
  return checkSignature({ headers, body: toBytes(options.payload) }, rules)
}
