/** A webhook's body exactly as it was sent: text, or its bytes. */
export type WebhookPayload = string | Uint8Array | ArrayBuffer

const encoder = new TextEncoder()

// Not instanceof, which fails for what comes from another realm, as every Buffer does under jest.
const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]'

/** Tells whether a value is bytes in any of their forms. */
export const isBytes = (value: unknown): value is ArrayBuffer | ArrayBufferView =>
  ArrayBuffer.isView(value) || isArrayBuffer(value)

/**
 * The bytes of a payload, not copied when they are bytes already.
 *
 * @throws TypeError when the payload is neither text nor bytes, such as what a JSON parser makes of them.
 */
export const toBytes = (payload: WebhookPayload): Uint8Array => {
  if (typeof payload === 'string') return encoder.encode(payload)
  if (payload instanceof Uint8Array) return payload
  if (ArrayBuffer.isView(payload)) {
    const { buffer, byteOffset, byteLength }: ArrayBufferView = payload
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
  if (isArrayBuffer(payload)) return new Uint8Array(payload)
  throw new TypeError(
    'The payload must be the body as it came, as text or bytes. Take it before any body parser: once parsed, it cannot be verified.',
  )
}
