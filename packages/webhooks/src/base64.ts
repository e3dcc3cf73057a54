const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** Encodes bytes as standard base64 with padding (RFC 4648 section 4). */
export const encodeBase64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Decodes standard base64, padded or not; `undefined` for any other text. (`atob` alone ignores whitespace.) */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!canonical.test(text)) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
