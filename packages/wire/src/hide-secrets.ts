const mask = '[redacted]'

/** A secret of fewer characters may be part of a word, so it is hidden only where it stands alone. */
const minPartLength = 8

/** Half of a secret is hidden wherever it stands, and so is a part of this length. */
const maxWindow = 16

/** A part of this length at the end of a text is the beginning of a secret that was cut off there. */
const minCutLength = 6

/** How often an escape can be escaped. A run of backslashes is decoded at once. */
const maxLayers = 4

/** How JSON, programming languages, URLs and HTML write a character. Matching is linear in the text. */
const escapes =
  /\\+(?:u\{([\da-f]{1,5})\}|u(?:0000)?([\da-f]{4})|x([\da-f]{2})|[nrt])?|%(?:u([\da-f]{4})|([\da-f]{2}))|&(?:#x([\da-f]{1,5})|#(\d{1,6})|(amp|lt|gt|quot|apos));/gi

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }

/** What notations add or leave out: white space, and quotation marks. */
const ignored = /[\s\p{Cc}\p{Cf}"']/u

/** A text in one notation. For each of its units, where it starts and ends in the original. */
type Folded = { readonly text: string; readonly starts: readonly number[]; readonly ends: readonly number[] }

const decodeEscape = (groups: readonly (string | undefined)[]): string => {
  const [decimal, name] = groups.slice(6)
  if (name !== undefined) return entities[name.toLowerCase()] ?? ''
  const hex = groups.slice(0, 6).find(Boolean)
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
  return decimal === undefined ? '' : String.fromCodePoint(Number(decimal))
}

/** Decodes one layer of escapes. */
const decode = (folded: Folded): Folded => {
  const units: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const add = (written: string, first: number, last: number): void => {
    for (const unit of written.split('')) {
      units.push(unit)
      starts.push(folded.starts[first] ?? 0)
      ends.push(folded.ends[last] ?? 0)
    }
  }
  let next = 0
  for (const match of folded.text.matchAll(escapes)) {
    for (; next < match.index; next++) add(folded.text.charAt(next), next, next)
    next += match[0].length
    add(decodeEscape(match.slice(1)), match.index, next - 1)
  }
  if (next === 0) return folded
  for (; next < folded.text.length; next++) add(folded.text.charAt(next), next, next)
  return { text: units.join(''), starts, ends }
}

/** Writes a text without escapes, in lower case and one alphabet of base64, and without what notations add. */
const fold = (original: string): Folded => {
  const indexes = Array.from({ length: original.length }, (_, index) => index)
  let folded: Folded = { text: original, starts: indexes, ends: indexes.map((index) => index + 1) }
  for (let layer = 0; layer < maxLayers && /[\\%&]/.test(folded.text); layer++) folded = decode(folded)
  const { text, starts, ends } = folded
  const isKept = (index: number): boolean => !ignored.test(text.charAt(index))
  const kept = ignored.test(text) ? Array.from(text.split('').keys()).filter(isKept) : undefined
  const joined = kept?.map((index) => text.charAt(index)).join('') ?? text
  return {
    text: joined
      .replaceAll('_', '/')
      .replaceAll('-', '+')
      .replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    starts: kept?.map((index) => starts[index] ?? 0) ?? starts,
    ends: kept?.map((index) => ends[index] ?? 0) ?? ends,
  }
}

/** Lists what base64 makes of bytes, wherever they stand: without the characters that depend on the bytes before them. */
const listBase64 = (bytes: string): string[] =>
  [0, 2, 3].map((skipped, offset) => btoa('\0'.repeat(offset) + bytes).slice(skipped))

const toHex = (bytes: string): string =>
  bytes.replace(/[\s\S]/g, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'))

/** Lists a secret, and what encodings make of it. */
const listEncodings = (secret: string): string[] => {
  if (secret.length < minPartLength) return [secret]
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('')
  // A form writes a space as a plus.
  return [secret, bytes, bytes.replaceAll(' ', '+'), toHex(bytes), ...listBase64(bytes)]
}

/** What to look for in folded texts. */
const readSecrets = (secrets: readonly string[]) => {
  const words = new Set<string>()
  /** Parts of secrets, by their length. */
  const parts = new Map<number, Set<string>>()
  const beginnings = new Set<string>()
  for (const secret of new Set(secrets)) {
    for (const encoded of new Set(listEncodings(secret))) {
      const { text } = fold(encoded)
      const half = Math.max(minCutLength, Math.ceil(text.length / 2))
      const length = Math.min(text.length, half, maxWindow)
      if (length === 0) continue
      if (secret.length < minPartLength) {
        words.add(text)
        continue
      }
      const same = parts.get(length) ?? new Set()
      parts.set(length, same)
      for (let end = length; end <= text.length; end++) same.add(text.slice(end - length, end))
      for (let end = 1; end < length; end++) beginnings.add(text.slice(0, end))
    }
  }
  return { words, parts, beginnings }
}

type Range = readonly [start: number, end: number]

/** Lists where secrets stand in a text. */
const findSecrets = (
  original: string,
  { words, parts, beginnings }: ReturnType<typeof readSecrets>,
): Range[] => {
  const { text, starts, ends } = fold(original)
  const locate = (from: number, to: number): Range => [starts[from] ?? 0, ends[to - 1] ?? 0]
  const ranges: Range[] = []
  for (const [length, same] of parts) {
    for (let end = length; end <= text.length; end++) {
      if (same.has(text.slice(end - length, end))) ranges.push(locate(end - length, end))
    }
  }
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const [start, end] = locate(at, at + word.length)
      const isWithin = /[a-z\d]/i.test(original.charAt(start - 1) + original.charAt(end))
      if (!isWithin) ranges.push([start, end])
    }
  }
  for (let from = Math.max(0, text.length - maxWindow); from < text.length; from++) {
    const start = starts[from] ?? 0
    const isLong = original.length - start >= minCutLength
    if (isLong && beginnings.has(text.slice(from))) ranges.push([start, original.length])
  }
  return ranges.sort(([first], [second]) => first - second)
}

/**
 * Creates a function that hides secrets in a text that someone else wrote: in any case, escaped for JSON, a programming
 * language, a URL or HTML (also one within another), spaced, in hex or base64, or cut. It hides half of a secret, or 16 of its
 * characters, but a secret of fewer than 8 only as a whole word. It takes time linear in the text, whatever the text contains.
 *
 * @param getSecrets lists the secrets. It is called on first use.
 */
export const createSecretHider = (getSecrets: () => readonly string[]): ((text: string) => string) => {
  let known: ReturnType<typeof readSecrets> | undefined
  return (text) => {
    known ??= readSecrets(getSecrets())
    if (known.words.size + known.parts.size === 0) return text
    let shown = ''
    let next = 0
    for (const [start, end] of findSecrets(text, known)) {
      // Secrets that overlap are hidden as one.
      if (start >= next) shown += text.slice(next, start) + mask
      next = Math.max(next, end)
    }
    return shown + text.slice(next)
  }
}

/**
 * Creates a function that tells whether a text contains a whole secret, in any notation that {@link createSecretHider} hides.
 * Case and spaces do not count, so it suits secrets that no one can mistake for words.
 */
export const createSecretFinder = (text: string): ((secret: string) => boolean) => {
  const folded = fold(text).text
  // The end of base64 depends on the bytes after it.
  return (secret) =>
    listEncodings(secret).some((encoded) => folded.includes(fold(encoded.replace(/.=+$/, '')).text))
}
