import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'
import type { Signer } from '../hmac/signer.ts'
import { equalsInConstantTime } from './constant-time.ts'
import type { SignatureHeaders } from './signature-headers.ts'
import { checkTimestamp } from './tolerance.ts'

/** What a signature vouches for, besides the body. */
export type VerifiedSignature = {
  /** The `webhook-id`: the same on every retry of one event. */
  readonly id: string
  /** The `webhook-timestamp`: when this attempt was signed, in Unix seconds. */
  readonly timestamp: number
}

/** A body, and what its headers say of it. */
export type SignedBody = { readonly headers: SignatureHeaders; readonly body: Uint8Array }

/** With what a {@link SignedBody} is checked. */
export type SignatureRules = {
  readonly signers: readonly Signer[]
  readonly toleranceSeconds: number
  readonly now: () => number
}

const isAmong = (signatures: readonly string[], expected: string): boolean => {
  for (const signature of signatures) {
    if (equalsInConstantTime(expected, signature)) return true
  }
  return false
}

/** Tries the other signers when the first one has given a promise, so that all of them will. */
const matchesLater = async (
  { headers, body }: SignedBody,
  head: string,
  signers: readonly Signer[],
): Promise<boolean> => {
  for (const sign of signers) {
    if (isAmong(headers.signatures, await sign(head, body))) return true
  }
  return false
}

/** Tries one signer after the other, without a promise where they give none. */
const matches = (signed: SignedBody, signers: readonly Signer[]): boolean | Promise<boolean> => {
  const { headers, body } = signed
  const head = `${headers.id}.${headers.timestamp}.`
  for (const sign of signers) {
    const expected = sign(head, body)
    if (typeof expected !== 'string') return matchesLater(signed, head, signers)
    if (isAmong(headers.signatures, expected)) return true
  }
  return false
}

const accept = (matched: boolean, verified: VerifiedSignature): VerifiedSignature => {
  if (matched) return verified
  throw new WebhookVerificationError(
    'no_matching_signature',
    'No signature matches this body and the configured secrets. diagnose() tells the likely cause.',
  )
}

/**
 * Checks a body's timestamp, then its signatures against every secret. Synchronous where the runtime's HMAC is.
 *
 * @throws WebhookVerificationError
 */
export const checkSignature = (
  signed: SignedBody,
  { signers, toleranceSeconds, now }: SignatureRules,
): VerifiedSignature | Promise<VerifiedSignature> => {
  const timestamp = Number(signed.headers.timestamp)
  checkTimestamp(timestamp, now(), toleranceSeconds)
  const verified = { id: signed.headers.id, timestamp }
  const matched = matches(signed, signers)
  return typeof matched === 'boolean'
    ? accept(matched, verified)
    : matched.then((each) => accept(each, verified))
}
