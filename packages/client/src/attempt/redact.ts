import { isError } from '@wabakit/wire'

export type Redact = (text: string) => string

const mask = '[redacted]'
const sensitive = /auth|key|token|secret|cookie|password/i

/** Builds a pattern for a character and its escapes in JSON (also JSON inside JSON), URLs and HTML, where any name will do. */
const buildCharacterPattern = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, '0')
  // All quantifiers are bounded, so that a hostile body cannot slow down the match.
  return `(?:\\\\{0,4}\\x${hex}|%${hex}|\\\\{1,4}u00${hex}|&(?:#(?:${code}|x${hex})|[a-z]{2,6});)`
}

/** Builds a pattern for a secret. A short secret could be part of a word, so it must match a whole word. */
const buildPattern = (secret: string): string => {
  const text = Array.from(secret, buildCharacterPattern).join('')
  return secret.length < 8 ? `(?<![a-z0-9])${text}(?![a-z0-9])` : text
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
 * Creates a function that masks secrets in responses and error messages, even if they are escaped or cut off.
 * Lists the secrets only on first use, because successful calls never need them.
 */
export const createRedact = (getSecrets: () => readonly string[]): Redact => {
  let secrets: readonly string[]
  let pattern: RegExp | undefined
  return (text) => {
    if (!pattern) {
      secrets = getSecrets()
      // Without secrets, the pattern matches nothing.
      pattern = new RegExp(secrets.map(buildPattern).join('|') || '(?!)', 'gi')
    }
    return maskCutSecret(text.replace(pattern, mask), secrets)
  }
}

const maxDepth = 4

/**
 * Returns a copy of a cause with its names, messages, codes and stacks, redacted. The original may contain the request, or
 * quote a response that is not HTTP.
 */
export const copyWithoutSecrets = (cause: unknown, redact: Redact, depth = 0): unknown => {
  if (!isError(cause)) return typeof cause === 'string' ? redact(cause) : undefined
  if (depth > maxDepth) return undefined
  const copy = new Error(redact(cause.message), { cause: copyWithoutSecrets(cause.cause, redact, depth + 1) })
  for (const name of ['name', 'code', 'stack']) {
    const text = Reflect.get(cause, name)
    if (text !== undefined) Reflect.set(copy, name, redact(`${text}`))
  }
  return copy
}
