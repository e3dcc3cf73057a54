/** The body of a webhook exactly as it was sent: text, or its bytes. */
export type WebhookPayload = string | Uint8Array | ArrayBuffer

export const encoder = /* @__PURE__ */ new TextEncoder()

/** Recognizes objects from any realm. Under jest, every Buffer comes from another realm. */
export const isTagged = (value: unknown, tag: 'ArrayBuffer' | 'Date'): boolean =>
  Object.prototype.toString.call(value) === `[object ${tag}]`

export const isArrayBuffer = (value: unknown): value is ArrayBuffer => isTagged(value, 'ArrayBuffer')

/** Checks whether a body is still text or bytes, rather than the result of a parser. */
export const isUnparsed = (body: unknown): body is string | Uint8Array<ArrayBuffer> | ArrayBuffer =>
  typeof body === 'string' || ArrayBuffer.isView(body) || isArrayBuffer(body)

/**
 * Returns the bytes of a payload. Does not copy a payload that is already bytes.
 *
 * @throws TypeError when the payload is neither text nor bytes, such as parsed JSON.
 */
export const toBytes = (payload: unknown): Uint8Array => {
  if (typeof payload === 'string') return encoder.encode(payload)
  if (ArrayBuffer.isView(payload)) {
    // `instanceof` fails for arrays of another realm, so this compares the tag. Creating a view of an array
    // that is already a Uint8Array would take longer than reading the tag.
    if (Object(payload)[Symbol.toStringTag] === 'Uint8Array') return payload as Uint8Array
    const { buffer, byteOffset, byteLength } = payload
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
  if (isArrayBuffer(payload)) return new Uint8Array(payload)
  throw new TypeError(
    'The payload must be the unparsed body, as text or bytes. Take it before any body parser.',
  )
}

/** Encodes bytes as standard base64 with padding (RFC 4648 section 4). */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Decodes base64, padded or not, and ignores whitespace, as `atob` does. Returns `undefined` for other text. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
