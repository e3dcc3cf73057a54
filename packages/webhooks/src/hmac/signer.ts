/**
 * Computes the base64 HMAC-SHA256 of `head` followed by `body`, under the signer's key. Synchronous where the runtime's
 * HMAC is.
 */
export type Signer = (head: string, body: Uint8Array) => string | Promise<string>
