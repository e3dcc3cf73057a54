import { WebhookVerificationError } from '../errors.ts'
import type { Signer } from '../hmac/signer.ts'
import { toBytes, type WebhookPayload } from '../payload.ts'
import { getSigners } from '../secret.ts'
import type { VerifiedDelivery, Verifier } from '../verifiers/verifier.ts'
import {
  checkAge,
  defaultToleranceSeconds,
  type HeaderSource,
  parseSignatureHeaders,
  type SignatureHeaders,
} from './signature-headers.ts'

/** The secrets, the tolerance and the clock that signatures are verified with. */
export type SignatureOptions = {
  /** Every secret that may have signed: during a rotation, the current one and the previous one. At least one. */
  readonly secrets: readonly string[]
  /**
   * Maximum age of a signature in seconds, inclusive. It may lie in the future by the same amount. With 0, it must be
   * of the same second; with `Infinity`, it may be of any time.
   * @default 300
   */
  readonly toleranceSeconds?: number
  /**
   * Accept secrets of fewer than 24 bytes, for secrets that another system generated.
   * @default false
   */
  readonly allowShortSecrets?: boolean
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: () => number
}

/** Options for {@link verifySignature}. */
export type VerifySignatureOptions = SignatureOptions & {
  /** The unparsed body, exactly as it arrived. */
  readonly payload: WebhookPayload
  /** The request's headers. */
  readonly headers: HeaderSource
}

/** The values that a signature vouches for, besides the body. */
export type VerifiedSignature = {
  /** The `webhook-id`: the same on every attempt of a delivery. */
  readonly id: string
  /** The `webhook-timestamp`: when this attempt was signed, in Unix seconds. */
  readonly timestamp: number
}

type Rules = {
  readonly signers: readonly Signer[]
  readonly toleranceSeconds: number
  readonly now: () => number
}

const toRules = ({
  secrets,
  toleranceSeconds = defaultToleranceSeconds,
  allowShortSecrets = false,
  now = () => Date.now(),
}: SignatureOptions): Rules => {
  // NaN would accept every timestamp.
  if (!(toleranceSeconds >= 0)) {
    throw new RangeError(`toleranceSeconds must be 0 or more, not ${toleranceSeconds}`)
  }
  return { signers: getSigners(secrets, allowShortSecrets), toleranceSeconds, now }
}

/**
 * Compares two texts in a time that depends only on their lengths, so that an attacker cannot guess a secret character
 * by character. Use it in verifiers of your own.
 *
 * @example
 * const verify: Verifier = ({ headers }) => equalsInConstantTime(headers.get('x-token') ?? '', token)
 */
export const equalsInConstantTime = (left: string, right: string): boolean => {
  const { length } = left
  if (length !== right.length) return false
  let difference = 0
  for (let index = 0; index < length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}

/** Tries one signer after the other. Synchronous where the runtime's HMAC is, because promises are slow. */
const matchSignature = (
  signed: SignatureHeaders,
  body: Uint8Array,
  signers: readonly Signer[],
): SignatureHeaders | Promise<SignatureHeaders> => {
  const sign = signers.at(0)
  if (sign === undefined) {
    throw new WebhookVerificationError(
      'no_matching_signature',
      'No signature matches this body and the configured secrets. diagnose() finds the likely cause.',
    )
  }
  const compare = (expected: string) =>
    signed.signatures.some((signature) => equalsInConstantTime(expected, signature))
      ? signed
      : matchSignature(signed, body, signers.slice(1))
  const expected = sign(signed.signedPrefix, body)
  return typeof expected === 'string' ? compare(expected) : expected.then(compare)
}

const checkSignature = (
  signed: SignatureHeaders,
  body: Uint8Array,
  { signers, toleranceSeconds, now }: Rules,
): SignatureHeaders | Promise<SignatureHeaders> => {
  checkAge(signed.timestamp, now(), toleranceSeconds)
  return matchSignature(signed, body, signers)
}

/**
 * Verifies the signature of one delivery by Standard Webhooks 1.0: over the bytes as they arrived, in constant time,
 * against every secret. Signatures of unknown versions are ignored.
 *
 * @returns the id and the timestamp that the signature vouches for.
 * @throws WebhookVerificationError with a `reason` from a closed list when the delivery is rejected.
 * @throws TypeError when the payload is neither text nor bytes: it was parsed and can no longer be verified.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 * @example
 * const { id } = await verifySignature({ payload: rawBody, headers: request.headers, secrets: [secret] })
 */
export const verifySignature = async (options: VerifySignatureOptions): Promise<VerifiedSignature> => {
  const rules = toRules(options)
  const signed = parseSignatureHeaders(options.headers)
  const { id, timestamp } = await checkSignature(signed, toBytes(options.payload), rules)
  return { id, timestamp }
}

const toVerified = ({ id, timestamp }: SignatureHeaders): VerifiedDelivery => ({
  id,
  sentAt: new Date(timestamp * 1000),
})

/**
 * Accepts deliveries signed with Standard Webhooks 1.0. A request without well-formed signature headers is rejected
 * before its body is read.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`, here and not on the first request.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 * @example
 * const verify = standardWebhooks({ secrets: [current, previous] })
 */
export const standardWebhooks = (options: SignatureOptions): Verifier => {
  const rules = toRules(options)
  const verify: Verifier = ({ headers, body, signature = parseSignatureHeaders(headers) }) => {
    const checked = checkSignature(signature, body, rules)
    return checked instanceof Promise ? checked.then(toVerified) : toVerified(checked)
  }
  return Object.assign(verify, { checkHeaders: parseSignatureHeaders })
}
