import { createByteCollector } from '@wabakit/wire'

/** Maximum number of characters of a response body to keep. */
const maxLength = 4_096

/** Minimum length of a value to hide. Shorter values cannot be distinguished from other text. */
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

const decodeOnce = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Lists the values in the query of a URL, as they are and decoded, that are long enough for a secret. */
const listQueryValues = (url: string): string[] => {
  const pairs = /\?([^#]*)/.exec(url)?.[1]?.split('&') ?? []
  const values = pairs.map((pair) => pair.slice(pair.indexOf('=') + 1))
  return values.flatMap((value) => [value, decodeOnce(value)]).filter((value) => value.length >= 8)
}

/** Lists the forms in which an endpoint may echo its subscription's headers and query, longest first. */
const listSecrets = (headers: Readonly<Record<string, string>>, url: string): string[] => {
  const values = Object.values(headers).flatMap((value) => [value, ...listCredentials(value)])
  const forms = [...values, ...listQueryValues(url)]
    .filter((value) => value.length >= minSecretLength)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
  return [...new Set(forms)].sort((left, right) => right.length - left.length)
}

/** Lists where a pattern occurs, in time proportional to both lengths (Knuth, Morris and Pratt). */
const findAll = (text: string, pattern: string): number[] => {
  /** For each prefix of the pattern, the length of its longest proper suffix that is also a prefix. */
  const borders = new Uint16Array(pattern.length)
  const found: number[] = []
  const advance = (matched: number, character: string | undefined): number => {
    let length = matched
    while (length > 0 && pattern[length] !== character) length = borders[length - 1] ?? 0
    return pattern[length] === character ? length + 1 : 0
  }
  for (let index = 1; index < pattern.length; index++) {
    borders[index] = advance(borders[index - 1] ?? 0, pattern[index])
  }
  let matched = 0
  for (let index = 0; index < text.length; index++) {
    matched = advance(matched, text[index])
    if (matched === pattern.length) {
      found.push(index + 1 - matched)
      matched = borders[matched - 1] ?? 0
    }
  }
  return found
}

/**
 * Returns a string with all secrets replaced. The endpoint chooses the string and its owner chooses the secrets, so
 * searching for one secret after another from each position could block the event loop for seconds.
 */
const hideSecrets = (text: string, secrets: readonly string[]): string => {
  /** For each position, the length of the longest secret that starts there. */
  const lengths = new Uint16Array(text.length)
  for (const secret of secrets) {
    for (const index of findAll(text, secret)) lengths[index] = Math.max(lengths[index] ?? 0, secret.length)
  }
  let shown = ''
  let end = 0
  let isHidden = false
  for (const [index, length] of lengths.entries()) {
    // Overlapping secrets are hidden as one. Otherwise the end of the second one would stay readable.
    if (length > 0) {
      if (!isHidden || index >= end) shown += `${text.slice(end, index)}[redacted]`
      end = Math.max(end, index + length)
      isHidden = true
    }
  }
  return shown + text.slice(end)
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
 * Returns the first 4,096 characters of a response body as text that every store accepts. Replaces the subscription's
 * secret headers, and the values of its query, if the endpoint echoes them.
 */
export const readResponseBody = async (
  body: ReadableStream<Uint8Array> | string | null,
  headers: Readonly<Record<string, string>>,
  url = '',
): Promise<string> => {
  if (body === null || body === '') return ''
  const secrets = listSecrets(headers, url)
  // Reads past the limit by the length of the longest secret. Otherwise a secret that crosses the limit would not be
  // recognized, and its beginning would be kept.
  const length = maxLength + (secrets[0]?.length ?? 0)
  const text = typeof body === 'string' ? body : await readStream(body, maxCharacterBytes * length)
  return hideSecrets(text.slice(0, length), secrets)
    .replaceAll('\0', '')
    .slice(0, maxLength)
    .replace(/\p{Surrogate}/gu, '')
}
