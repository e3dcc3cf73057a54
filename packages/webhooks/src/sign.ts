import { createSigner } from '#hmac'
import { toBytes, type WebhookPayload } from './bytes.ts'
import { decodeSecrets, getSigners } from './secret.ts'
import { isWebhookId } from './verifiers/signature-headers.ts'

/** Options for {@link signWebhook}. */
export type SignWebhookOptions = {
  /** The body exactly as it will be sent. */
  readonly payload: WebhookPayload
  /** The subscription's secret, or several secrets during a rotation. Each secret adds a signature. */
  readonly secret: string | readonly string[]
  /**
   * The delivery's id, which is the same on every attempt: visible ASCII characters without a full stop.
   * @default a random `msg_…`
   */
  readonly id?: string | undefined
  /**
   * The time of this attempt, in whole Unix seconds.
   * @default now
   */
  readonly timestamp?: number | undefined
  /**
   * Accepts secrets of fewer than 24 bytes, for secrets that another system generated.
   * @default false
   */
  readonly allowShortSecrets?: boolean | undefined
}

/** The headers of a signed delivery, and the values in them. */
export type SignedWebhook = {
  /** The `webhook-id`. */
  readonly id: string
  /** The `webhook-timestamp`, in Unix seconds. */
  readonly timestamp: number
  /** The three headers of the scheme and the content type, ready to send. */
  readonly headers: {
    readonly 'content-type': 'application/json'
    readonly 'webhook-id': string
    readonly 'webhook-timestamp': string
    readonly 'webhook-signature': string
  }
}

/**
 * Returns the `webhook-signature` of one attempt: a signature of its `webhook-id`, its `webhook-timestamp` in
 * Unix seconds, and its body exactly as it is sent. Returns no promise if the HMAC is synchronous.
 */
export type WebhookSigner = (attempt: {
  readonly id: string
  readonly timestamp: number
  readonly payload: WebhookPayload
}) => string | Promise<string>

const toHeader = (signatures: readonly string[]): string => signatures.map((each) => `v1,${each}`).join(' ')

/**
 * Prepares secrets for a server that signs many deliveries. The signer checks neither `id` nor `timestamp`.
 * Prepared secrets are cached.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a secret cannot be used.
 * @example
 * const sign = createWebhookSigner([secret])
 * const signature = await sign({ id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), payload })
 */
export const createWebhookSigner = (secrets: readonly string[]): WebhookSigner => {
  const signers = getSigners(secrets)
  return ({ id, timestamp, payload }) => {
    const body = toBytes(payload)
    const signatures = signers.map((sign) => sign(`${id}.${timestamp}.`, body))
    // Promise.all would allocate a promise even if every HMAC is synchronous.
    return signatures.every((each) => typeof each === 'string')
      ? toHeader(signatures)
      : Promise.all(signatures).then(toHeader)
  }
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a payload. Returns `undefined` for bytes that are not UTF-8, which the `standardwebhooks` library
 * cannot sign.
 */
const toText = (payload: WebhookPayload): string | undefined => {
  if (typeof payload === 'string') return payload
  const bytes = toBytes(payload)
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

// The library is loaded for the first signature, so that receivers neither load nor bundle it.
let library: typeof import('standardwebhooks') | undefined

const sign = async (key: Uint8Array<ArrayBuffer>, id: string, timestamp: number, payload: WebhookPayload) => {
  const text = toText(payload)
  if (text === undefined) return `v1,${await createSigner(key)(`${id}.${timestamp}.`, toBytes(payload))}`
  library ??= await import('standardwebhooks')
  return new library.Webhook(key, { format: 'raw' }).sign(id, new Date(timestamp * 1000), text)
}

/** The last time that a `Date` can have, in seconds. The library signs dates. */
const latestSecond = 8.64e12

/**
 * Signs one attempt of a delivery with Standard Webhooks 1.0 (HMAC-SHA256 of `id.timestamp.payload`).
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a secret cannot be used.
 * @throws TypeError when the payload is neither text nor bytes.
 * @throws RangeError when `id` or `timestamp` does not have the form that the scheme requires.
 * @example
 * const payload = JSON.stringify(event)
 * const { headers } = await signWebhook({ payload, secret })
 * await fetch(url, { method: 'POST', body: payload, headers })
 */
export const signWebhook = async (options: SignWebhookOptions): Promise<SignedWebhook> => {
  const { id = `msg_${crypto.randomUUID().replaceAll('-', '')}`, timestamp = Math.floor(Date.now() / 1000) } =
    options
  if (!isWebhookId(id)) {
    throw new RangeError(`id must be visible ASCII characters without a full stop, not ${JSON.stringify(id)}`)
  }
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > latestSecond) {
    throw new RangeError('timestamp must be a whole number of Unix seconds, at most 8,640,000,000,000')
  }
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  const keys = decodeSecrets(secrets, options.allowShortSecrets)
  const signatures = await Promise.all(keys.map((key) => sign(key, id, timestamp, options.payload)))
  return {
    id,
    timestamp,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures.join(' '),
    },
  }
}
