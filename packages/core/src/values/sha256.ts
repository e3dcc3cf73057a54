const encoder = new TextEncoder()

/** SHA-256 of a text's UTF-8, as 64 lower-case hexadecimal digits. */
export const sha256 = async (text: string): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
