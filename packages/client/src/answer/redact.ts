/** Takes secrets out of a text. */
export type Redact = (text: string) => string

const mask = '[redacted]'
const sensitive = /auth|key|token|secret|cookie|password/i
const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

/** Matches a character as it is, or as JSON (also JSON inside JSON), a URL or HTML may write it. */
const inAnyForm = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, '0')
  const entity = entities[character]
  // Every repetition is bounded, so that a hostile body costs no more than a friendly one.
  return `(?:\\\\{0,4}\\x${hex}|%${hex}|\\\\{1,4}u00${hex}|&#0{0,5}${code};|&#x0{0,5}${hex};${entity ? `|&${entity};` : ''})`
}

/** A short secret could be part of an ordinary word, so it counts only where it stands alone. */
const pattern = (secret: string): string => {
  const text = Array.from(secret, inAnyForm).join('')
  return secret.length < 8 ? `(?<![a-z0-9])${text}(?![a-z0-9])` : text
}

/** Masks the beginning of a secret at the end of a text, which may have been cut there. */
const withoutCutSecret = (text: string, secrets: readonly string[]): string => {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= 6; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask
    }
  }
  return text
}

/**
 * The secrets of a request: the key, whatever `auth` put on the headers (with and without its scheme), and the
 * value of any other header whose name says that it is one.
 */
export const secretsOf = (apiKey: string | undefined, visible: Headers, sent: Headers): string[] => {
  const secrets = new Set([apiKey ?? ''])
  for (const [name, value] of sent) {
    if (visible.get(name) === value && !sensitive.test(name)) continue
    secrets.add(value)
    secrets.add(value.slice(value.indexOf(' ') + 1))
  }
  return [...secrets].filter(Boolean).sort((one, other) => other.length - one.length)
}

/**
 * Takes secrets out of what a server sends back, also where it escapes them, and where the text was cut in the
 * middle of one. The secrets are asked for on first use, since a success never needs it.
 */
export const redactOf = (secretsOf: () => readonly string[]): Redact => {
  let redact: Redact | undefined
  const make = (secrets: readonly string[]): Redact => {
    if (secrets.length === 0) return (text) => text
    const all = new RegExp(secrets.map(pattern).join('|'), 'gi')
    return (text) => withoutCutSecret(text.replace(all, mask), secrets)
  }
  return (text) => {
    redact ??= make(secretsOf())
    return redact(text)
  }
}
