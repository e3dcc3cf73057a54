import { createSigner } from '#hmac'
import { decodeBase64, encoder, toBytes } from '../bytes.ts'
import { isWebhookVerificationError } from '../errors.ts'
import { minimumBytes, removePrefix } from '../secret.ts'
import { assertZeroOrMore } from '../usage.ts'
import { checkAge, defaultToleranceSeconds } from '../verifiers/check-age.ts'
import {
  parseSignatureHeaders,
  type SignatureHeaders,
  toHeaderReader,
} from '../verifiers/signature-headers.ts'
import type { VerifySignatureOptions } from '../verifiers/verify-signature.ts'
import { listSerializations } from './serializations.ts'

/** The likely causes of a mismatch. */
export type DiagnosisCause = keyof typeof remedies

/** The most likely reason for rejecting a delivery. */
export type Diagnosis = {
  /** The machine-readable cause. */
  readonly cause: DiagnosisCause
  /** A human-readable explanation of the cause and its remedy. It never contains a secret. */
  readonly message: string
}

/**
 * Options for {@link diagnose}: the same as for `verifySignature`, except that the payload may be anything. @interface
 */
export type DiagnoseOptions = Omit<VerifySignatureOptions, 'payload'> & {
  /** The body, in the form in which your code received it. */
  readonly payload: unknown
}

const remedies = {
  missing_header: 'A signature header is missing. Does the sender sign at all, and do proxies forward it?',
  malformed_header:
    'A signature header does not have the format of Standard Webhooks. Does the sender use another scheme?',
  body_was_parsed:
    'The body was parsed before it was verified. Take the bytes before any body parser: express.raw(), request.text(), rawBody in NestJS.',
  body_was_reserialized:
    'The signature matches the same JSON written differently, so something parsed the body and serialized it again. Pass on the bytes as they arrived.',
  body_was_recoded:
    'The signature matches the same text without a line break at its end, without a byte order mark, or in UTF-8 instead of UTF-16. echo, PowerShell and editors make such changes to files. Pass on the bytes as they arrived.',
  body_is_compressed: 'The body is compressed with gzip. Decompress it before it is verified.',
  secret_is_missing:
    'A secret is missing or empty. Pass at least one, in an array. Is its environment variable set?',
  secret_has_whitespace:
    'A secret contains whitespace. Trim it: a copied or file-mounted secret often ends in a newline.',
  secret_of_another_format:
    'A secret does not have the format that the scheme requires: "whsec_" followed by the key in base64. Convert it.',
  secret_is_short: 'A secret has fewer than 24 bytes. Use generateSecret(), or set allowShortSecrets.',
  clock_skew:
    'The signature matches, but its time is outside the tolerance. Check the clock of this machine, and whether this is an old delivery.',
  wrong_secret:
    'The signature matches no interpretation of the body and the secrets. Most likely, the secret belongs to another endpoint or was rotated.',
} as const

const toDiagnosis = (cause: DiagnosisCause): Diagnosis => ({ cause, message: remedies[cause] })

/** Returns whether a secret is text that is not empty. Callers without TypeScript may pass an unset environment variable. */
const isPresent = (secret: unknown): boolean => typeof secret === 'string' && removePrefix(secret) !== ''

type Key = Uint8Array<ArrayBuffer>

const isKey = (key: Key | undefined): key is Key => key !== undefined && key.length > 0

const decodeHex = (text: string): Key | undefined =>
  /^(?:[0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined

/** Decodes secrets of any length, in the format of Standard Webhooks. */
const readKeys = (secrets: readonly string[]): Key[] =>
  secrets.map((secret) => decodeBase64(removePrefix(secret))).filter(isKey)

/** Decodes secrets in the formats of other schemes, text and hexadecimal. The secrets need not be valid base64. */
const readForeignKeys = (secrets: readonly string[]): Key[] =>
  secrets
    .flatMap((secret) => {
      const text = removePrefix(secret)
      return [encoder.encode(secret), encoder.encode(text), decodeHex(text)]
    })
    .filter(isKey)

const matches = async (
  { signedPrefix, signatures }: SignatureHeaders,
  { keys, bodies }: { readonly keys: readonly Key[]; readonly bodies: Iterable<Uint8Array | string> },
): Promise<boolean> => {
  const signers = keys.map(createSigner)
  for (const body of bodies) {
    const bytes = toBytes(body)
    for (const sign of signers) if (signatures.includes(await sign(signedPrefix, bytes))) return true
  }
  return false
}

const isInTime = (
  timestamp: number,
  { now = () => Date.now(), toleranceSeconds = defaultToleranceSeconds }: DiagnoseOptions,
): boolean => {
  try {
    checkAge(timestamp, now(), toleranceSeconds)
    return true
  } catch {
    return false
  }
}

const readHeaders = ({ headers }: DiagnoseOptions): SignatureHeaders | Diagnosis => {
  try {
    return parseSignatureHeaders(toHeaderReader(headers))
  } catch (error) {
    const missing = isWebhookVerificationError(error) && error.reason === 'missing_header'
    return toDiagnosis(missing ? 'missing_header' : 'malformed_header')
  }
}

const readBody = (payload: unknown): Uint8Array | undefined => {
  try {
    return payload === '[object Object]' ? undefined : toBytes(payload)
  } catch {
    return undefined
  }
}

/** Lists what a body may have been before a tool wrote it to a file. */
const listOriginals = (body: Uint8Array): string[] => {
  // Decoding removes a byte order mark.
  const texts = ['utf-8', 'utf-16le', 'utf-16be'].map((encoding) => new TextDecoder(encoding).decode(body))
  return texts.flatMap((text) => [text, text.replace(/\r?\n$/, '')])
}

/**
 * Finds the likely cause of a mismatch, for a log or a terminal. It tries variants of the body and the
 * secrets, and reports which one matches. It never makes verification more lenient. It costs many times as
 * much as verification, so use it to debug your endpoint rather than on every request. It does not try other
 * serializations of JSON with more than 65,536 characters or 16 levels.
 *
 * @returns the likely cause; `undefined` when `verifySignature` accepts the delivery.
 * @throws RangeError when `toleranceSeconds` is not 0 or more.
 * @example
 * try {
 *   await verifySignature({ headers, payload, secrets })
 * } catch (error) {
 *   if (isDebugging && isWebhookVerificationError(error)) console.warn(await diagnose({ headers, payload, secrets }))
 *   throw error
 * }
 */
export const diagnose = async (options: DiagnoseOptions): Promise<Diagnosis | undefined> => {
  const { payload, secrets, toleranceSeconds, allowShortSecrets = false } = options
  assertZeroOrMore('toleranceSeconds', toleranceSeconds)
  const body = readBody(payload)
  if (body === undefined) return toDiagnosis('body_was_parsed')
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isPresent)) {
    return toDiagnosis('secret_is_missing')
  }
  if (secrets.some((secret) => /\s/.test(secret))) return toDiagnosis('secret_has_whitespace')
  const headers = readHeaders(options)
  if ('cause' in headers) return headers

  const keys = readKeys(secrets)
  if (await matches(headers, { keys, bodies: [body] })) {
    if (keys.length < secrets.length) return toDiagnosis('secret_of_another_format')
    if (!allowShortSecrets && keys.some(({ length }) => length < minimumBytes))
      return toDiagnosis('secret_is_short')
    return isInTime(headers.timestamp, options) ? undefined : toDiagnosis('clock_skew')
  }
  if (await matches(headers, { keys: readForeignKeys(secrets), bodies: [body] })) {
    return toDiagnosis('secret_of_another_format')
  }
  if (body[0] === 0x1f && body[1] === 0x8b) return toDiagnosis('body_is_compressed')
  if (await matches(headers, { keys, bodies: listOriginals(body) })) return toDiagnosis('body_was_recoded')
  const bodies = listSerializations(new TextDecoder().decode(body))
  if (await matches(headers, { keys, bodies })) return toDiagnosis('body_was_reserialized')
  return toDiagnosis(keys.length < secrets.length ? 'secret_of_another_format' : 'wrong_secret')
}
