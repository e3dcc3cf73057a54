export type Redact = (text: string) => string

const mask = '[redacted]'
const sensitive = /auth|key|token|secret|cookie|password/i
/** The characters that HTML escapes by name, and their escapes. */
const named = /[&<>"']/
const entities = '|&(?:amp|lt|gt|quot|apos);'

/** Builds a pattern for a character and its escapes in JSON (also JSON inside JSON), URLs and HTML. */
const buildCharacterPattern = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, '0')
  // All quantifiers are bounded, so that a hostile body cannot slow down the match.
  return `(?:\\\\{0,4}\\x${hex}|%${hex}|\\\\{1,4}u00${hex}|&#0{0,5}${code};|&#x0{0,5}${hex};${named.test(character) ? entities : ''})`
}

/** Builds a pattern for a secret. A short secret could be part of a word, so it must match a whole word. */
const buildPattern = (secret: string): string => {
  const text = Array.from(secret, buildCharacterPattern).join('')
  return secret.length < 8 ? `(?<![a-z0-9])${text}(?![a-z0-9])` : text
}

/** Lists the forms of a secret in base64 and URL-safe base64, for any offset in the encoded text. */
const listBase64 = (secret: string): string[] => {
  // A shorter secret could be part of a word. A secret with characters above U+00FF cannot be in a header.
  if (secret.length < 6 || /[^\0-\xff]/.test(secret)) return []
  return [0, 1, 2].flatMap((offset) => {
    // Omits the characters that also depend on neighboring bytes.
    const end = Math.floor(((offset + secret.length) * 4) / 3)
    const text = btoa('x'.repeat(offset) + secret).slice(Math.ceil((offset * 4) / 3), end)
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Masks the start of a secret at the end of a string, in case the string was truncated there. */
const maskCutSecret = (text: string, secrets: readonly string[]): string => {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= 6; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask
    }
  }
  return text
}

/**
 * Lists the secrets of a request, longest first: the key, the headers that `auth` set (with and without their scheme),
 * and all other headers whose names suggest a secret.
 */
export const listSecrets = (apiKey: string | undefined, visible: Headers, sent: Headers): string[] => {
  const secrets = new Set([apiKey ?? ''])
  for (const [name, value] of sent) {
    if (visible.get(name) === value && !sensitive.test(name)) continue
    secrets.add(value)
    secrets.add(value.slice(value.indexOf(' ') + 1))
  }
  return [...secrets].filter(Boolean).sort((one, other) => other.length - one.length)
}

/**
 * Creates a function that masks secrets in a server's response, even if they are escaped, base64-encoded or cut off.
 * Lists the secrets only on first use, because successful calls never need them.
 */
export const createRedact = (getSecrets: () => readonly string[]): Redact => {
  let secrets: readonly string[]
  let pattern: RegExp | undefined
  return (text) => {
    if (!pattern) {
      const plain = getSecrets()
      const encoded = plain.flatMap(listBase64)
      secrets = [...plain, ...encoded]
      const patterns = [
        ...plain.map(buildPattern),
        ...encoded.map((text) => text.replace(/[+/]/g, buildCharacterPattern)),
      ]
      // Without secrets, the pattern matches nothing.
      pattern = new RegExp(patterns.join('|') || '(?!)', 'gi')
    }
    return maskCutSecret(text.replace(pattern, mask), secrets)
  }
}

const maxDepth = 4

/** Recognizes an error from any realm, such as that of `fetch` in a test in jsdom. */
const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'

/** Recognizes `Object.prototype` of any realm. */
const isObjectPrototype = (value: object | null): boolean =>
  value !== null && Object.getPrototypeOf(value) === null && Object.hasOwn(value, 'isPrototypeOf')

const isPlain = (value: object): boolean =>
  isError(value) || Array.isArray(value) || isObjectPrototype(Object.getPrototypeOf(value))

/** Checks whether `value` consists of plain objects, errors and primitives, none of which contains a secret. */
const isClean = (value: unknown, redact: Redact, depth = 0): boolean => {
  if (typeof value === 'string') return redact(value) === value
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth > maxDepth || !isPlain(value)) return false
  // Also checks `message`, which `ownKeys` omits if the error inherits it.
  return [...Reflect.ownKeys(value), 'message'].every((name) =>
    isClean(Reflect.get(value, name), redact, depth + 1),
  )
}

const copy = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (!isError(value)) return typeof value === 'string' ? redact(value) : undefined
  if (depth > maxDepth) return undefined
  const error = new Error(redact(value.message), { cause: copy(value.cause, redact, depth + 1) })
  error.name = redact(value.name)
  return 'code' in value ? Object.assign(error, { code: redact(String(value.code)) }) : error
}

/**
 * Returns a cause for an error: the original, or a redacted copy of its names, messages and codes if the original may
 * contain a secret. Causes can contain the request, or quote a response that is not HTTP.
 */
export const copyWithoutSecrets = (cause: unknown, redact: Redact): unknown =>
  isClean(cause, redact) ? cause : copy(cause, redact)
