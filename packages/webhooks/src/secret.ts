import { createSigner } from '#hmac'
import { decodeBase64, encodeBase64 } from './bytes.ts'
import { WebhookVerificationError } from './errors.ts'
import type { Signer } from './hmac/web.ts'

const prefix = 'whsec_'

/** Minimum length of a secret in bytes (Standard Webhooks 1.0). */
export const minimumBytes = 24
const maximumBytes = 64

const invalid = (sentence: string) => new WebhookVerificationError('invalid_secret', sentence)

/** Options for {@link generateSecret}. @inline */
export type GenerateSecretOptions = {
  /**
   * Number of random bytes in the secret, 24 to 64.
   * @default 32
   */
  readonly bytes?: number | undefined
}

/**
 * Returns a new random signing secret: `whsec_` and the base64 of its bytes (Standard Webhooks 1.0,
 * "Signature scheme").
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when `bytes` is not 24 to 64.
 * @example
 * const secret = generateSecret() // 'whsec_…'
 */
export const generateSecret = ({ bytes = 32 }: GenerateSecretOptions = {}): string => {
  if (!Number.isInteger(bytes) || bytes < minimumBytes || bytes > maximumBytes) {
    throw invalid(
      `A secret has ${minimumBytes} to ${maximumBytes} bytes, not ${bytes}. Leave the option out for 32.`,
    )
  }
  return prefix + encodeBase64(crypto.getRandomValues(new Uint8Array(bytes)))
}

export const removePrefix = (secret: string): string =>
  secret.startsWith(prefix) ? secret.slice(prefix.length) : secret

const decodeSecret = (secret: string, allowShort: boolean): Uint8Array<ArrayBuffer> => {
  const text = typeof secret === 'string' ? removePrefix(secret) : ''
  if (text === '') {
    throw invalid('The secret is empty. Is its environment variable set?')
  }
  if (/\s/.test(text)) {
    throw invalid('The secret contains whitespace. Does it end in a newline?')
  }
  const key = decodeBase64(text)
  if (key === undefined) {
    throw invalid('The secret is not base64. Use generateSecret().')
  }
  if (key.length < minimumBytes && !allowShort) {
    throw invalid(
      `The secret has only ${key.length} bytes, not ${minimumBytes}. Use generateSecret(), or set allowShortSecrets.`,
    )
  }
  return key
}

const mapSecrets = <Result>(
  secrets: readonly string[],
  convert: (secret: string) => Result,
): readonly Result[] => {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw invalid('There is no secret. Pass at least one, in an array.')
  }
  return secrets.map(convert)
}

/** Returns the bytes of each secret. Throws like {@link createSigners}. */
export const decodeSecrets = (secrets: readonly string[], allowShort = false) =>
  mapSecrets(secrets, (secret) => decodeSecret(secret, allowShort))

/**
 * Returns a new signer for each secret, with or without the `whsec_` prefix.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`, including when there are no secrets.
 */
export const createSigners = (secrets: readonly string[], allowShort = false): readonly Signer[] =>
  mapSecrets(secrets, (secret) => createSigner(decodeSecret(secret, allowShort)))

/** Maximum number of signers in each cache: enough for the subscriptions of a busy server. */
const maximumCached = 1_024

// Caches short secrets separately, because not every caller accepts them.
const cache = { long: new Map<string, Signer>(), short: new Map<string, Signer>() }

const getSigner = (secret: string, allowShort: boolean): Signer => {
  const cached = cache.long.get(secret) ?? (allowShort ? cache.short.get(secret) : undefined)
  if (cached !== undefined) return cached
  const key = decodeSecret(secret, allowShort)
  const signers = key.length < minimumBytes ? cache.short : cache.long
  if (signers.size >= maximumCached) signers.clear()
  const signer = createSigner(key)
  signers.set(secret, signer)
  return signer
}

/**
 * Returns a signer for each secret. Signers are cached.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`, including when there are no secrets.
 */
export const getSigners = (secrets: readonly string[], allowShort = false): readonly Signer[] =>
  mapSecrets(secrets, (secret) => getSigner(secret, allowShort))
