import { encodeBase64 } from '../base64.ts'
import type { Signer } from './signer.ts'

const encoder = new TextEncoder()
const algorithm = { name: 'HMAC', hash: 'SHA-256' }

const concat = (head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

/** A {@link Signer} on `crypto.subtle`: for edge runtimes and browsers. */
export const createSigner = (key: Uint8Array<ArrayBuffer>): Signer => {
  // Imported on first use, because Workers forbid asynchronous work while a module loads; and the key is kept, not
  // its promise, because they forbid awaiting what another request began.
  let secret: CryptoKey | undefined
  return async (head, body) => {
    secret ??= await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
    const signature = await crypto.subtle.sign('HMAC', secret, concat(encoder.encode(head), body))
    return encodeBase64(new Uint8Array(signature))
  }
}
