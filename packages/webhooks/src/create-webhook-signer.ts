import { encoder } from './payload.ts'
import { getSigners } from './secret.ts'

/**
 * Returns the `webhook-signature` of one attempt: of its `webhook-id`, its `webhook-timestamp` in Unix seconds, and its
 * body exactly as it is sent. Synchronous where the runtime's HMAC is.
 */
export type WebhookSigner = (attempt: {
  readonly id: string
  readonly timestamp: number
  readonly payload: string
}) => string | Promise<string>

const toHeader = (signatures: readonly string[]): string => signatures.map((each) => `v1,${each}`).join(' ')

/**
 * Prepares secrets for a server that signs many deliveries, where `signWebhook` would take too long. It checks neither
 * `id` nor `timestamp`. Prepared secrets are cached.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a secret cannot be used.
 * @example
 * const sign = createWebhookSigner([secret])
 * const signature = await sign({ id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), payload })
 */
export const createWebhookSigner = (secrets: readonly string[]): WebhookSigner => {
  const signers = getSigners(secrets, false)
  return ({ id, timestamp, payload }) => {
    const head = `${id}.${timestamp}.`
    const body = encoder.encode(payload)
    const signatures = signers.map((sign) => sign(head, body))
    // Promises are slow, so there are none unless the HMAC is asynchronous.
    return signatures.every((each) => typeof each === 'string')
      ? toHeader(signatures)
      : Promise.all(signatures).then(toHeader)
  }
}
