import { decodeBase64 } from '../base64.ts'
import { secretPrefix } from '../secret.ts'

const decodeHex = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^(?:[0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined

const isKey = (key: Uint8Array<ArrayBuffer> | undefined): key is Uint8Array<ArrayBuffer> =>
  key !== undefined && key.length > 0

/** The key that a secret is by the scheme, whatever its length. */
export const schemeKeys = (secrets: readonly string[]): Uint8Array<ArrayBuffer>[] =>
  secrets
    .map((secret) =>
      decodeBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret),
    )
    .filter(isKey)

/** The keys that a secret would be by the habits of other schemes: its text, hexadecimal, URL-safe base64. */
export const foreignKeys = (secrets: readonly string[]): Uint8Array<ArrayBuffer>[] => {
  const encoder = new TextEncoder()
  return secrets
    .flatMap((secret) => {
      const bare = secret.slice(secret.lastIndexOf('_') + 1)
      const unprefixed = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret
      return [
        encoder.encode(secret),
        encoder.encode(unprefixed),
        decodeHex(unprefixed),
        decodeBase64(unprefixed.replaceAll('-', '+').replaceAll('_', '/')),
        decodeBase64(bare),
      ]
    })
    .filter(isKey)
}
