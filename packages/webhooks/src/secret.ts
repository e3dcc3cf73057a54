import { decodeBase64, encodeBase64 } from './base64.ts'
import { WebhookVerificationError } from './errors/webhook-verification-error.ts'

/** What every Standard Webhooks secret starts with. */
export const secretPrefix = 'whsec_'

const shortest = 24
const longest = 64

const invalid = (sentence: string) => new WebhookVerificationError('invalid_secret', sentence)

/** Options of {@link generateSecret}. */
export type GenerateSecretOptions = {
  /**
   * Random bytes in the secret, 24 to 64.
   * @default 32
   */
  readonly bytes?: number
}

/**
 * A new random signing secret: `whsec_` and the base64 of its bytes (Standard Webhooks 1.0, "Signature scheme").
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when `bytes` is not 24 to 64.
 * @example
 * const secret = generateSecret() // 'whsec_…'
 */
export const generateSecret = ({ bytes = 32 }: GenerateSecretOptions = {}): string => {
  if (!Number.isInteger(bytes) || bytes < shortest || bytes > longest) {
    throw invalid(`A secret has ${shortest} to ${longest} bytes, not ${bytes}. Leave the option out for 32.`)
  }
  return secretPrefix + encodeBase64(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** @throws WebhookVerificationError with reason `invalid_secret` when there is no secret at all. */
export const assertSomeSecret = (secrets: readonly string[]): void => {
  if (secrets.length === 0) throw invalid('There is no secret. Pass at least one.')
}

/** Tells whether a key is too short to be made for this scheme. */
export const isShortKey = (key: Uint8Array): boolean => key.length < shortest

/**
 * The key bytes of a secret, with or without the `whsec_` prefix.
 *
 * @param allowShort - accept fewer than 24 bytes, for secrets that another system made.
 * @throws WebhookVerificationError with reason `invalid_secret`.
 */
export const decodeSecret = (secret: string, allowShort = false): Uint8Array<ArrayBuffer> => {
  if (typeof secret !== 'string' || secret === '' || secret === secretPrefix) {
    throw invalid('The secret is empty. Is the variable that holds it set?')
  }
  if (/\s/.test(secret)) {
    throw invalid(
      'The secret contains whitespace. Trim it: a copied or file-mounted secret often ends in a newline.',
    )
  }
  const key = decodeBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret)
  if (key === undefined || key.length === 0) {
    throw invalid(
      'The secret is not base64. It should be "whsec_" and base64 text; generateSecret() makes one.',
    )
  }
  if (isShortKey(key) && !allowShort) {
    throw invalid(
      `The secret has only ${key.length} bytes; at least ${shortest} are needed. Use generateSecret(), or set allowShortSecrets when another system dictates it.`,
    )
  }
  return key
}
