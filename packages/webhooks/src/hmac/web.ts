import { createByteCollector } from '@wabakit/wire'
import { encodeBase64, encoder } from '../bytes.ts'

/**
 * Computes the base64 HMAC-SHA256 of `head` followed by `body`. Returns a promise only if the runtime's HMAC
 * is asynchronous.
 */
export type Signer = (head: string, body: Uint8Array) => string | Promise<string>

export type Digest = (data: string | Uint8Array) => string | Promise<string>

/** Returns the SHA-256 of bytes, or of text in UTF-8, in hexadecimal. The version for `node:crypto` is synchronous. */
export const digest: Digest = async (data) => {
  const bytes = typeof data === 'string' ? encoder.encode(data) : new Uint8Array(data)
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' }

/** The error message in React Native, in jest's jsdom, and on pages without TLS. */
const withoutWebCrypto = 'Signatures need crypto.subtle.'

/** Creates a {@link Signer} on `crypto.subtle`, for edge runtimes and browsers. */
export const createSigner = (key: Uint8Array<ArrayBuffer>): Signer => {
  // The key is imported on first use, because Workers forbid asynchronous work while a module loads. The key is kept
  // rather than its promise, because Workers also forbid awaiting a promise that another request created.
  let secret: CryptoKey | undefined
  return async (head, body) => {
    if (globalThis.crypto?.subtle === undefined) throw new Error(withoutWebCrypto)
    secret ??= await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
    const signed = createByteCollector()
    for (const part of [encoder.encode(head), body]) signed.add(part)
    const signature = await crypto.subtle.sign('HMAC', secret, signed.toBytes())
    return encodeBase64(new Uint8Array(signature))
  }
}
