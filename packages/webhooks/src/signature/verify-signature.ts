import { createSigner } from '#hmac'
import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'
import type { HeaderSource } from '../headers.ts'
import type { Signer } from '../hmac/signer.ts'
import { toBytes, type WebhookPayload } from '../payload.ts'
import { decodeSecret } from '../secret.ts'
import { equalsInConstantTime } from './constant-time.ts'
import { readSignatureHeaders, type SignatureHeaders } from './signature-headers.ts'
import { assertTolerance, checkTimestamp, defaultToleranceSeconds } from './tolerance.ts'

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

/** What a signature vouches for, besides the body. */
export type VerifiedSignature = {
  /** The `webhook-id`: the same on every retry of one event. */
  readonly id: string
  /** The `webhook-timestamp`: when this attempt was signed, in Unix seconds. */
  readonly timestamp: number
}

/** Checks a body against the signatures of its headers; shared by {@link verifySignature} and the receiver. */
export type SignatureCheck = (
  headers: SignatureHeaders,
  body: Uint8Array,
) => VerifiedSignature | Promise<VerifiedSignature>

const noMatch = () =>
  new WebhookVerificationError(
    'no_matching_signature',
    'No signature matches this body and the configured secrets. diagnose() tells the likely cause.',
  )

const isAmong = (signatures: readonly string[], expected: string): boolean =>
  signatures.some((signature) => equalsInConstantTime(signature, expected))

/**
 * Prepares the keys once, so that each check costs one HMAC per secret.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 */
export const createSignatureCheck = (options: SignatureOptions): SignatureCheck => {
  const { secrets, toleranceSeconds = defaultToleranceSeconds, allowShortSecrets, now = Date.now } = options
  assertTolerance(toleranceSeconds)
  if (secrets.length === 0) {
    throw new WebhookVerificationError('invalid_secret', 'There is no secret. Pass at least one in secrets.')
  }
  const signers: Signer[] = secrets.map((secret) => createSigner(decodeSecret(secret, allowShortSecrets)))

  const matchLater = async (headers: SignatureHeaders, head: string, body: Uint8Array): Promise<boolean> => {
    for (const sign of signers) {
      if (isAmong(headers.signatures, await sign(head, body))) return true
    }
    return false
  }

  return (headers, body) => {
    const timestamp = Number(headers.timestamp)
    checkTimestamp(timestamp, now(), toleranceSeconds)
    const verified = { id: headers.id, timestamp }
    const head = `${headers.id}.${headers.timestamp}.`
    for (const sign of signers) {
      const expected = sign(head, body)
      // Where the runtime's HMAC is asynchronous, all of it is; where it is not, no time is lost in microtasks.
      if (typeof expected !== 'string') {
        return matchLater(headers, head, body).then((matches) => {
          if (matches) return verified
          throw noMatch()
        })
      }
      if (isAmong(headers.signatures, expected)) return verified
    }
    throw noMatch()
  }
}

/**
 * Verifies one delivery's signature by Standard Webhooks 1.0: over the bytes as they came, in constant time, against
 * every secret, skipping signatures of unknown versions.
 *
 * @returns the id and the timestamp that the signature vouches for.
 * @throws WebhookVerificationError with a closed `reason` when it is not accepted.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 * @example
 * const { id } = await verifySignature({ payload: rawBody, headers: request.headers, secrets: [secret] })
 */
export const verifySignature = async (options: VerifySignatureOptions): Promise<VerifiedSignature> =>
  createSignatureCheck(options)(readSignatureHeaders(options.headers), toBytes(options.payload))
