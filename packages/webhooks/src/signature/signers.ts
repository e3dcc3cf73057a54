import { createSigner } from '#hmac'
import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'
import type { Signer } from '../hmac/signer.ts'
import { decodeSecret } from '../secret.ts'

/** Most secrets whose prepared keys are kept: far more than an endpoint rotates through. */
const mostKept = 64

const kept = new Map<string, Signer>()

const keep = (secret: string, allowShort: boolean): Signer => {
  const name = `${allowShort}:${secret}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const signer = createSigner(decodeSecret(secret, allowShort))
  if (kept.size >= mostKept) kept.clear()
  kept.set(name, signer)
  return signer
}

/**
 * A signer for each secret, prepared once per secret and process.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when one cannot be a secret, or there is none.
 */
export const signersOf = (secrets: readonly string[], allowShort = false): readonly Signer[] => {
  if (secrets.length === 0) {
    throw new WebhookVerificationError('invalid_secret', 'There is no secret. Pass at least one in secrets.')
  }
  return secrets.map((secret) => keep(secret, allowShort))
}
