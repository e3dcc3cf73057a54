/** A webhook's body exactly as it was sent: text, or its bytes. */
export type WebhookPayload = string | Uint8Array | ArrayBuffer

const encoder = new TextEncoder()

/** The bytes of a payload, not copied when they are bytes already. */
export const toBytes = (payload: WebhookPayload): Uint8Array => {
  if (typeof payload === 'string') return encoder.encode(payload)
  return payload instanceof Uint8Array ? payload : new Uint8Array(payload)
}
