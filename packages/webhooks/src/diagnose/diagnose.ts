import { createSigner } from '#hmac'
import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'
import { isBytes, toBytes, type WebhookPayload } from '../payload.ts'
import { readSignatureHeaders, type SignatureHeaders } from '../signature/signature-headers.ts'
import { checkTimestamp, defaultToleranceSeconds } from '../signature/tolerance.ts'
import type { VerifySignatureOptions } from '../signature/verify-signature.ts'
import { foreignKeys, schemeKeys } from './secret-readings.ts'
import { serialisationsOf } from './serialisations.ts'

/** The likely causes of a mismatch. The list is closed. */
export type DiagnosisCause = keyof typeof remedies

/** Why a delivery is most likely not accepted. */
export type Diagnosis = {
  /** The cause, for programs. */
  readonly cause: DiagnosisCause
  /** What it means and what to do, for people. It never holds a secret. */
  readonly message: string
}

/** What {@link diagnose} looks at: what `verifySignature` was given, the payload even if it is no text or bytes. */
export type DiagnoseOptions = Omit<VerifySignatureOptions, 'payload'> & {
  /** The body as your code has it. */
  readonly payload: unknown
}

const remedies = {
  missing_header:
    'A header of the signature is missing. Does the sender sign at all, and do proxies pass it on?',
  malformed_header:
    'A header of the signature is not in the form of Standard Webhooks. Is it another scheme?',
  body_was_parsed:
    'The body was parsed before it was verified. Take the bytes before any body parser: express.raw(), request.text(), rawBody in NestJS.',
  body_was_reserialized:
    'The signature belongs to the same JSON written differently, so something parsed the body and wrote it again. Pass on the bytes as they came.',
  secret_has_whitespace:
    'A secret has whitespace in it. Trim it: a copied or file-mounted secret often ends in a newline.',
  secret_of_another_format:
    'A secret is not what the scheme asks for: "whsec_" and the base64 of the key. Write the key in that form.',
  clock_skew:
    'The signature is right, its time is outside the tolerance. Check the clock of this machine, or whether this is an old delivery.',
  wrong_secret:
    'No reading of the body and the secrets fits. Most likely the secret is that of another endpoint, or was rotated.',
} as const

const found = (cause: DiagnosisCause): Diagnosis => ({ cause, message: remedies[cause] })

const isPayload = (payload: unknown): payload is WebhookPayload =>
  typeof payload === 'string' || isBytes(payload)

const matches = async (
  { id, timestamp, signatures }: SignatureHeaders,
  keys: readonly Uint8Array<ArrayBuffer>[],
  bodies: Iterable<Uint8Array>,
): Promise<boolean> => {
  for (const sign of keys.map(createSigner)) {
    for (const body of bodies) {
      if (signatures.includes(await sign(`${id}.${timestamp}.`, body))) return true
    }
  }
  return false
}

const isInTime = (
  { timestamp }: SignatureHeaders,
  { now = () => Date.now(), toleranceSeconds }: DiagnoseOptions,
): boolean => {
  try {
    checkTimestamp(Number(timestamp), now(), toleranceSeconds ?? defaultToleranceSeconds)
    return true
  } catch {
    return false
  }
}

const headersOf = ({ headers }: DiagnoseOptions): SignatureHeaders | Diagnosis => {
  try {
    return readSignatureHeaders(headers)
  } catch (error) {
    const missing = error instanceof WebhookVerificationError && error.reason === 'missing_header'
    return found(missing ? 'missing_header' : 'malformed_header')
  }
}

/**
 * Finds the likely cause of a mismatch, for a log or a terminal. It tries what would have matched, tells what it was,
 * and accepts nothing; it costs many times what verifying does, so call it on your own failures, not on every request.
 *
 * @returns the likely cause; `undefined` when the signature is right and in time.
 * @example
 * receiver.onError(async (error, { headers }) => {
 *   if (isWebhookVerificationError(error)) console.warn(await diagnose({ payload, headers, secrets }))
 * })
 */
export const diagnose = async (options: DiagnoseOptions): Promise<Diagnosis | undefined> => {
  const { payload, secrets } = options
  if (!isPayload(payload) || payload === '[object Object]') return found('body_was_parsed')
  if (secrets.some((secret) => /\s/.test(secret))) return found('secret_has_whitespace')
  const headers = headersOf(options)
  if ('cause' in headers) return headers

  const keys = schemeKeys(secrets)
  const body = toBytes(payload)
  if (await matches(headers, keys, [body]))
    return isInTime(headers, options) ? undefined : found('clock_skew')
  if (await matches(headers, foreignKeys(secrets), [body])) return found('secret_of_another_format')
  const bodies = [...serialisationsOf(new TextDecoder().decode(body))].map(toBytes)
  if (await matches(headers, keys, bodies)) return found('body_was_reserialized')
  return found(keys.length < secrets.length ? 'secret_of_another_format' : 'wrong_secret')
}
