import { createByteCollector, createSecretHider, listMasked } from '@wabakit/wire'

/** Maximum number of characters of a response body to keep. */
const maxLength = 4_096

/** Minimum length of a header's value to hide. Shorter values cannot be distinguished from other text. */
const minSecretLength = 4

const decodeBase64 = (text: string): string => {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return ''
  }
}

/** Lists the parts of an `authorization` header that are secret on their own. */
const listCredentials = (value: string): string[] => {
  const [, scheme = '', credentials = ''] = /^(basic|bearer) +(.+)$/i.exec(value) ?? []
  if (scheme.toLowerCase() !== 'basic') return [credentials]
  const decoded = decodeBase64(credentials)
  return [credentials, decoded, decoded.slice(decoded.indexOf(':') + 1)]
}

/** Lists the values of a URL's query that have at least 8 characters. A shorter value may be a part of other text. */
export const listQuerySecrets = (url: string): string[] => listMasked(url).filter(({ length }) => length >= 8)

type Hide = ReturnType<typeof createSecretHider>

/** Maximum total length of the headers and URLs whose functions are kept. Each character takes about 500 bytes. */
const maxKeptLength = 20_000

/** Functions by headers and URL. Preparing one takes longer than an attempt, and an endpoint gets many attempts. */
const hiders = new Map<string, Hide>()
let keptLength = 0

/** Returns a function that hides the secrets of a subscription's headers and URL in a text that may repeat them. */
export const createHide = (headers: Readonly<Record<string, string>>, url: string): Hide => {
  const key = JSON.stringify([headers, url])
  const hide =
    hiders.get(key) ??
    createSecretHider(() => [
      ...Object.values(headers)
        .flatMap((value) => [value, ...listCredentials(value)])
        .filter(({ length }) => length >= minSecretLength),
      ...listQuerySecrets(url),
    ])
  // Moves the function to the end, because those that were used least recently are dropped first.
  if (!hiders.delete(key)) keptLength += key.length
  hiders.set(key, hide)
  for (const oldest of hiders.keys()) {
    if (keptLength <= maxKeptLength) break
    hiders.delete(oldest)
    keptLength -= oldest.length
  }
  return hide
}

const readStream = async (body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> => {
  const reader = body.getReader()
  const bytes = createByteCollector()
  while (bytes.length < maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    bytes.add(value.subarray(0, maxBytes - bytes.length))
  }
  // This is not awaited, because an endless response must not delay the result.
  reader.cancel().catch(() => {})
  return new TextDecoder().decode(bytes.toBytes())
}

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const maxCharacterBytes = 3

/**
 * Returns the first 4,096 characters of a response body as text that every store accepts. If the endpoint echoes
 * secrets of the subscription, {@link createHide} hides them.
 */
export const readResponseBody = async (
  body: ReadableStream<Uint8Array> | string | null,
  headers: Readonly<Record<string, string>>,
  url = '',
): Promise<string> => {
  if (body === null || body === '') return ''
  // Reads past the limit, because a secret may cross it, and because hiding secrets shortens the text before it.
  const length = 2 * maxLength
  const text = typeof body === 'string' ? body : await readStream(body, maxCharacterBytes * length)
  return createHide(
    headers,
    url,
  )(text.slice(0, length))
    .replaceAll('\0', '')
    .slice(0, maxLength)
    .replace(/\p{Surrogate}/gu, '')
}
