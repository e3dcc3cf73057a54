import fastSha256 from 'fast-sha256'

const encoder = new TextEncoder()

/**
 * Does the same as {@link sha256} without node:crypto. The digest of Web Crypto is asynchronous and takes about 50
 * microseconds for a short text (a key, a request), because it uses another thread.
 */
export const computeSha256 = (text: string): string => {
  const digest = fastSha256.default(encoder.encode(text))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const hash = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash

/** Hashes the UTF-8 of a text. Returns 64 lower-case hexadecimal digits. */
export const sha256: (text: string) => string = hash ? (text) => hash('sha256', text, 'hex') : computeSha256
