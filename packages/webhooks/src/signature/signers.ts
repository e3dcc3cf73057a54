import { createSigner } from '#hmac'
import type { Signer } from '../hmac/signer.ts'
import { assertSomeSecret, decodeSecret, isShortKey } from '../secret.ts'

/** Most secrets whose prepared keys are kept: far more than an endpoint rotates through. */
const mostKept = 64

/** By their secrets; those of short secrets apart, since not everybody accepts them. */
const kept = { long: new Map<string, Signer>(), short: new Map<string, Signer>() }

const keep = (secret: string, allowShort: boolean): Signer => {
  const known = kept.long.get(secret) ?? (allowShort ? kept.short.get(secret) : undefined)
  if (known !== undefined) return known
  const key = decodeSecret(secret, allowShort)
  const signers = isShortKey(key) ? kept.short : kept.long
  if (signers.size >= mostKept) signers.clear()
  const signer = createSigner(key)
  signers.set(secret, signer)
  return signer
}

/**
 * A signer for each secret, prepared once per secret and process.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when one cannot be a secret, or there is none.
 */
export const signersOf = (secrets: readonly string[], allowShort = false): readonly Signer[] => {
  assertSomeSecret(secrets)
  return secrets.map((secret) => keep(secret, allowShort))
}
