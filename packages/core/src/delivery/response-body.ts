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

/** Lists the forms in which an endpoint may echo its subscription's headers, longest first. */
const listSecrets = (headers: Readonly<Record<string, string>>): string[] => {
  const values = Object.values(headers).flatMap((value) => [value, ...listCredentials(value)])
  const forms = values
    .filter((value) => value.length >= minSecretLength)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
  return [...new Set(forms)].sort((left, right) => right.length - left.length)
}

/** Finds the first occurrence of a secret in a string, and the longest secret at that position. */
const findNext = (text: string, secrets: readonly string[], from: number) => {
  let next = { index: text.length, length: 0 }
  for (const secret of secrets) {
    const index = text.indexOf(secret, from)
    if (index !== -1 && index < next.index) next = { index, length: secret.length }
  }
  return next
}

/** Returns the start of a string with all secrets replaced, even one that is cut off at the end. */
const hideSecrets = (text: string, secrets: readonly string[]): string => {
  let kept = ''
  let end = 0
  for (;;) {
    const { index, length } = findNext(text, secrets, end)
    if (length === 0 || index >= maxLength) return kept + text.slice(end, Math.max(end, maxLength))
    kept += `${text.slice(end, index)}[redacted]`
    end = index + length
  }
}

const readStream = async (body: ReadableStream<Uint8Array>, length: number): Promise<string> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < length) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  // This is not awaited, because an endless response must not delay the result.
  reader.cancel().catch(() => {})
  return text
}

/**
 * Returns the start of a response body as text that every store accepts. Replaces the subscription's secret headers if
 * the endpoint echoes them.
 */
export const readResponseBody = async (
  body: ReadableStream<Uint8Array> | string | null,
  headers: Readonly<Record<string, string>>,
): Promise<string> => {
  if (body === null || body === '') return ''
  const secrets = listSecrets(headers)
  const text = typeof body === 'string' ? body : await readStream(body, maxLength + (secrets[0]?.length ?? 0))
  return hideSecrets(text, secrets)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '')
}
