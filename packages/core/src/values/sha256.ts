import fastSha256 from 'fast-sha256'

const encoder = new TextEncoder()

/**
 * Computes {@link sha256} without node:crypto. It does not use Web Crypto, whose digest is asynchronous, runs on
 * another thread, and takes about 50 microseconds for a short string (a key, a request).
 */
export const computeSha256 = (text: string): string => {
  const digest = fastSha256.default(encoder.encode(text))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const hash = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash

/** Hashes a string as UTF-8. Returns 64 lowercase hexadecimal digits. */
export const sha256: (text: string) => string = hash ? (text) => hash('sha256', text, 'hex') : computeSha256
