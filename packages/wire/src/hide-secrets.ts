const mask = '[redacted]'

/** A secret of fewer characters may be part of a word, so it is hidden only where it stands alone. */
const minPartLength = 8

/** Half of a secret, at least 6 characters, is hidden wherever it stands, and so is a part of this length. */
const maxWindow = 16

/** A beginning of a secret that has at least this length is hidden at the end of a text, which may have been cut off there. */
const minCutLength = 6

/** How many times escapes are decoded, because an escape can be escaped again. A run of backslashes is decoded at once. */
const maxLayers = 4

/** A character, as it is or as JSON, programming languages, URLs and HTML write it. Matching is linear in the text. */
const characters =
  /\\+(?:u\{([\da-f]{1,5})\}|u(?:0000)?([\da-f]{4})|x([\da-f]{2})|[nrt])?|%(?:u([\da-f]{4})|([\da-f]{2}))|&(?:#x([\da-f]{1,5})|#(\d{1,6})|(amp|lt|gt|quot|apos));|[\s\S]/gi

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }

/** Characters that notations add or leave out: white space, control and format characters, and quotation marks. */
const ignored = /[\s\p{Cc}\p{Cf}"']/u

/** A UTF-16 unit of a text in one notation, and where it starts and ends in the original. */
type Unit = readonly [unit: string, start: number, end: number]

const decode = ([written = '', ...groups]: RegExpMatchArray): string => {
  const name = groups.pop()
  if (name) return entities[name.toLowerCase()] ?? ''
  const decimal = groups.pop()
  const code = decimal ?? `0x${groups.find(Boolean) ?? ''}`
  if (code !== '0x') return String.fromCodePoint(Number(code))
  return written.startsWith('\\') ? '' : written
}

const join = (units: readonly Unit[]): string => units.map(([unit]) => unit).join('')

/** Writes a text in lower case and one alphabet of base64. */
const unify = (text: string): string =>
  text
    .replaceAll('_', '/')
    .replaceAll('-', '+')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Writes a text without escapes, in lower case and one alphabet of base64, and without what notations add. */
const fold = (original: string): { readonly text: string; readonly units: readonly Unit[] } => {
  let units = original.split('').map((unit, index): Unit => [unit, index, index + 1])
  let text = original
  for (let layer = 0; layer < maxLayers && /[\\%&]/.test(text); layer++) {
    const decoded: Unit[] = []
    for (const match of text.matchAll(characters)) {
      const start = units[match.index]?.[1] ?? 0
      const end = units[match.index + match[0].length - 1]?.[2] ?? 0
      for (const unit of decode(match).split('')) decoded.push([unit, start, end])
    }
    units = decoded
    text = join(units)
  }
  units = units.filter(([unit]) => !ignored.test(unit))
  return { text: unify(join(units)), units }
}

/** Lists a secret and its encodings. */
const listEncodings = (secret: string): string[] => {
  if (secret.length < minPartLength) return [secret]
  const codes = [...new TextEncoder().encode(secret)]
  const bytes = String.fromCharCode(...codes)
  return [
    secret,
    bytes,
    // A form writes a space as a plus.
    bytes.replaceAll(' ', '+'),
    codes.map((code) => code.toString(16).padStart(2, '0')).join(''),
    // Base64 of the bytes at each offset, without the characters that also depend on the bytes before them.
    ...[0, 2, 3].map((skipped, offset) => btoa('\0'.repeat(offset) + bytes).slice(skipped)),
  ]
}

/** Collects the texts that reveal a secret in a folded text. */
const readSecrets = (secrets: readonly string[]) => {
  const words = new Set<string>()
  const parts = new Set<string>()
  const beginnings = new Set<string>()
  /** The lengths of words and parts. */
  const lengths = new Set<number>()
  for (const secret of new Set(secrets)) {
    for (const encoded of new Set(listEncodings(secret))) {
      const { text } = fold(encoded)
      const isWord = secret.length < minPartLength
      const half = Math.max(minCutLength, Math.ceil(text.length / 2))
      const length = isWord ? text.length : Math.min(text.length, half, maxWindow)
      if (length === 0) continue
      lengths.add(length)
      const same = isWord ? words : parts
      for (let end = length; end <= text.length; end++) same.add(text.slice(end - length, end))
      for (let end = 1; end < length && !isWord; end++) beginnings.add(text.slice(0, end))
    }
  }
  return { words, parts, beginnings, lengths }
}

type Range = readonly [start: number, end: number]

/** Lists where secrets stand in a text. */
const findSecrets = (
  original: string,
  { words, parts, beginnings, lengths }: ReturnType<typeof readSecrets>,
): Range[] => {
  const { text, units } = fold(original)
  const ranges: Range[] = []
  for (const length of lengths) {
    for (let from = 0; from <= text.length - length; from++) {
      const part = text.slice(from, from + length)
      const start = units[from]?.[1] ?? 0
      const end = units[from + length - 1]?.[2] ?? 0
      const isAlone = () => !/[a-z\d]/i.test(original.charAt(start - 1) + original.charAt(end))
      if (parts.has(part) || (words.has(part) && isAlone())) ranges.push([start, end])
    }
  }
  for (let from = Math.max(0, text.length - maxWindow); from < text.length; from++) {
    const start = units[from]?.[1] ?? 0
    const isLong = original.length - start >= minCutLength
    if (isLong && beginnings.has(text.slice(from))) ranges.push([start, original.length])
  }
  return ranges.sort(([first], [second]) => first - second)
}

/**
 * Creates a function that hides secrets in a text that someone else wrote: in any case, escaped for JSON, a programming
 * language, a URL or HTML (also one within another), spaced, in hex or base64, or cut. It hides half of a secret (at least 6
 * characters), or 16 of its characters, but a secret of fewer than 8 only as a whole word. It takes time linear in the text, whatever the text contains.
 *
 * What is hidden where: the responses of endpoints (`core`: `delivery/response-body.ts`), API keys in the log of requests
 * (`http/request-report.ts`), saved traces (`trace/save-trace.ts`), the errors of the client (`attempt/hide-secrets.ts`), the
 * reports of the doctor (`conformance`: `endpoint/leaks.ts`). Queries of URLs are masked where they are shown (`mask-url.ts`).
 *
 * @param getSecrets lists the secrets. It is called on first use.
 */
export const createSecretHider = (getSecrets: () => readonly string[]): ((text: string) => string) => {
  let known: ReturnType<typeof readSecrets> | undefined
  return (text) => {
    known ??= readSecrets(getSecrets())
    if (known.lengths.size === 0) return text
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

/** Escapes, and characters outside of the BMP, of which {@link fold} reads the halves. */
const needsFold = /[\\%&\ud800-\udfff]/

/**
 * Returns a function that checks, much faster than {@link findSecrets}, whether a text may contain a secret. `false` is certain.
 * Every part of a secret contains a piece that starts at a multiple of `step`, wherever the part stands.
 */
const createPrecheck = ({ words, parts, beginnings, lengths }: ReturnType<typeof readSecrets>) => {
  const allIgnored = new RegExp(`${ignored.source}+`, 'gu')
  const shortest = Math.min(...lengths)
  const size = Math.ceil(shortest / 2)
  const step = shortest - size + 1
  const pieces = new Set<string>()
  for (const part of [...words, ...parts])
    for (let end = size; end <= part.length; end++) pieces.add(part.slice(end - size, end))
  return (original: string): boolean => {
    if (needsFold.test(original)) return true
    const text = unify(original.replace(allIgnored, ''))
    for (let from = 0; from <= text.length - size; from += step)
      if (pieces.has(text.slice(from, from + size))) return true
    // Fewer characters than `minCutLength` are hidden only if ignored ones stand between or after them.
    const isSpaced = ignored.test(original.slice(1 - minCutLength))
    for (let length = isSpaced ? 1 : minCutLength; length < maxWindow; length++)
      if (beginnings.has(text.slice(-length))) return true
    return false
  }
}

/** Like {@link createSecretHider}, but faster for many texts of which few contain secrets. It prepares itself at once. */
export const createBulkSecretHider = (secrets: readonly string[]): ((text: string) => string) => {
  const hide = createSecretHider(() => secrets)
  const mayContain = createPrecheck(readSecrets(secrets))
  return (text) => (mayContain(text) ? hide(text) : text)
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
