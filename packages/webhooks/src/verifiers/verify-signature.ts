import { toBytes, type WebhookPayload } from '../bytes.ts'
import { WebhookVerificationError } from '../errors.ts'
import type { Signer } from '../hmac/web.ts'
import { type OnDemand, prepare } from '../on-demand.ts'
import { createSigners, getSigners } from '../secret.ts'
import { assertOptions, assertZeroOrMore } from '../usage.ts'
import { checkAge, defaultToleranceSeconds } from './check-age.ts'
import {
  type HeaderSource,
  parseSignatureHeaders,
  type SignatureHeaders,
  toHeaderReader,
} from './signature-headers.ts'
import type { Verifier } from './verifier.ts'

/** Options for verifying signatures. @inline */
type SignatureOptions = {
  /**
   * Maximum age of a signature in seconds, inclusive. The timestamp may be in the future by the same amount.
   * 0 accepts only the current second; `Infinity` accepts any time.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined
  /**
   * Accepts secrets of fewer than 24 bytes, for secrets that another system generated.
   * @default false
   */
  readonly allowShortSecrets?: boolean | undefined
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined
}

/** Options for {@link verifySignature}. @interface */
export type VerifySignatureOptions = SignatureOptions & {
  /** The unparsed body, exactly as it arrived. */
  readonly payload: WebhookPayload
  /** The request's headers. */
  readonly headers: HeaderSource
  /** The secrets with which the sender may sign, at least one: the current one and, in a rotation, the previous. */
  readonly secrets: readonly string[]
}

/** The values that a signature vouches for, in addition to the body. */
export type VerifiedSignature = {
  /** The `webhook-id`, which is the same on every attempt of a delivery. */
  readonly id: string
  /** The `webhook-timestamp`: when this attempt was signed, in Unix seconds. */
  readonly timestamp: number
}

const isText = (value: string | undefined): boolean => typeof value?.charCodeAt === 'function'

/**
 * Compares two strings in a time that depends only on their lengths, so that an attacker cannot guess a
 * secret character by character. Use it in your own verifiers. A value that is not a string equals nothing.
 *
 * @example
 * const verify: Verifier = ({ headers }) => equalsInConstantTime(headers.get('x-token') ?? '', token)
 */
export const equalsInConstantTime = (left: string, right: string): boolean => {
  if (!isText(left) || !isText(right) || left.length !== right.length) return false
  let difference = 0
  for (let index = left.length; index--; ) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return !difference
}

/** Recognizes promises from any realm. */
export const isPromise = <Value>(value: Value | PromiseLike<Value>): value is Promise<Value> =>
  typeof value === 'object' && value !== null && 'then' in value

/** Applies a function to a value or a promised value. Avoids allocating a promise on the synchronous path. */
export const apply = <Input, Output>(
  input: Input | Promise<Input>,
  next: (input: Input) => Output | Promise<Output>,
): Output | Promise<Output> => (isPromise(input) ? input.then(next) : next(input))

const isAmong = (signatures: readonly string[], expected: string): boolean => {
  for (const signature of signatures) {
    if (equalsInConstantTime(expected, signature)) return true
  }
  return false
}

/** Continues {@link matchSignature} when the HMAC of its first signer is asynchronous. */
const matchLater = async (
  expected: Promise<string>,
  { signed, body, signers }: { signed: SignatureHeaders; body: Uint8Array; signers: readonly Signer[] },
): Promise<SignatureHeaders> =>
  isAmong(signed.signatures, await expected) ? signed : matchSignature(signed, body, signers.slice(1))

/**
 * Tries the signers one after another. Every webhook pays for what this allocates, so it creates no closures,
 * and promises only if the HMAC is asynchronous.
 */
const matchSignature = (
  signed: SignatureHeaders,
  body: Uint8Array,
  signers: readonly Signer[],
): SignatureHeaders | Promise<SignatureHeaders> => {
  const sign = signers[0]
  if (sign === undefined) {
    throw new WebhookVerificationError(
      'no_matching_signature',
      'No signature matches. diagnose() finds the likely cause.',
    )
  }
  const expected = sign(signed.signedPrefix, body)
  if (isPromise(expected)) return matchLater(expected, { signed, body, signers })
  return isAmong(signed.signatures, expected) ? signed : matchSignature(signed, body, signers.slice(1))
}

/**
 * Verifies the signature of one delivery as in Standard Webhooks 1.0: over the bytes as they arrived, in
 * constant time, with each of the secrets. Ignores signatures of unknown versions.
 *
 * @returns the id and the timestamp that the signature vouches for.
 * @throws WebhookVerificationError with a `reason` when the delivery is rejected.
 * @throws TypeError when the payload is neither text nor bytes: it was parsed and can no longer be verified.
 * @throws RangeError when `toleranceSeconds` is not 0 or more.
 * @example
 * const { id } = await verifySignature({ payload: rawBody, headers: request.headers, secrets: [secret] })
 */
export const verifySignature = async (options: VerifySignatureOptions): Promise<VerifiedSignature> => {
  const { toleranceSeconds = defaultToleranceSeconds, now = Date.now } = options
  assertZeroOrMore('toleranceSeconds', toleranceSeconds)
  const signers = getSigners(options.secrets, options.allowShortSecrets)
  const signed = parseSignatureHeaders(toHeaderReader(options.headers))
  const body = toBytes(options.payload)
  checkAge(signed.timestamp, now(), toleranceSeconds)
  const matched = matchSignature(signed, body, signers)
  const { id, timestamp } = isPromise(matched) ? await matched : matched
  return { id, timestamp }
}

/** Options for {@link standardWebhooks}. @interface */
export type StandardWebhooksOptions = SignatureOptions & {
  /**
   * The secrets with which the sender may sign, at least one. During a rotation, these are the current and
   * the previous secret. A function is called when the first signed request arrives, and its result is kept
   * for a minute.
   */
  readonly secrets: OnDemand<readonly string[]>
}

const toVerified = ({ id, timestamp }: SignatureHeaders) => ({ id, sentAt: new Date(timestamp * 1000) })

/**
 * Accepts deliveries signed with Standard Webhooks 1.0. A request without well-formed signature headers is
 * rejected before its body or the secrets are read.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a secret is missing or invalid. If
 *   `secrets` is a function, requests get a 503 instead.
 * @throws WebhookUsageError for an unknown option.
 * @throws RangeError when `toleranceSeconds` is not 0 or more.
 * @example
 * const verify = standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] })
 */
export const standardWebhooks = (options: StandardWebhooksOptions): Verifier => {
  assertOptions('standardWebhooks()', options, ['secrets', 'toleranceSeconds', 'allowShortSecrets', 'now'])
  const { secrets, toleranceSeconds = defaultToleranceSeconds, now = () => Date.now() } = options
  assertZeroOrMore('toleranceSeconds', toleranceSeconds)
  const convert = (values: readonly string[]) => createSigners(values, options.allowShortSecrets)
  const signers = prepare(secrets, { convert, now })

  const verify: Verifier = ({ headers, body, signature = parseSignatureHeaders(headers), now: clock }) => {
    checkAge(signature.timestamp, now(), toleranceSeconds)
    return apply(signers(clock), (each) => apply(matchSignature(signature, body, each), toVerified))
  }
  return Object.assign(verify, { checkHeaders: parseSignatureHeaders, scheme: 'standardWebhooks' })
}
