import { encoder } from './payload.ts'
import { getSigners } from './secret.ts'

/** What a {@link WebhookSigner} signs. */
export type SignedContent = {
  /** The `webhook-id`, as `isWebhookId` accepts it. */
  readonly id: string
  /** The `webhook-timestamp`, in whole Unix seconds. */
  readonly timestamp: number
  /** The body exactly as it will be sent. */
  readonly payload: string
}

/** Returns the `webhook-signature` of one attempt. Synchronous where the runtime's HMAC is. */
export type WebhookSigner = (content: SignedContent) => string | Promise<string>

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
