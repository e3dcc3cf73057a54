/** Returns the value of a decimal digit of any script. Unicode has the ten digits of a script in order. */
const readDecimal = (digit: string): number => {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return (code - zero) % 10
}

/** ASCII digits by numeral. It stays small, because Unicode has fewer than 2,000 numerals. */
const known = new Map<string, string>()

const toAsciiDigit = (character: string): string => {
  const digit =
    known.get(character) ??
    (/\p{Nd}/u.test(character) ? `${readDecimal(character)}` : character.normalize('NFKC'))
  known.set(character, digit)
  return digit
}

/** Replaces the digits of all scripts, and superscripts and the like, with ASCII digits. */
const toAsciiDigits = (text: string): string => text.replaceAll(/[^\P{N}0-9]/gu, toAsciiDigit)

const toCharacter = (hex: string): string =>
  String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10_ffff))

const decodePercents = (bytes: string): string => {
  try {
    return decodeURIComponent(bytes)
  } catch {
    return bytes.replaceAll(/%[89a-f]./gi, ' ').replaceAll(/%(..)/g, (_, hex: string) => toCharacter(hex))
  }
}

/** Decodes the escapes of JSON, HTML and URLs once. */
const decode = (text: string): string =>
  text
    .replaceAll(/\\+/g, '\\')
    .replaceAll(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\u\{([0-9a-f]{1,6})\}/gi, (_, ...hex: string[]) =>
      toCharacter(hex.slice(0, 3).join('')),
    )
    .replaceAll(/\\[nrtbf]|&(?:amp;)*[a-z]{2,20};/gi, ' ')
    .replaceAll(/&(?:amp;)*#(\d{1,7});/gi, (_, code: string) => toCharacter(Number(code).toString(16)))
    .replaceAll(/&(?:amp;)*#x([0-9a-f]{1,6});/gi, (_, hex: string) => toCharacter(hex))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, decodePercents)

/** An escape may be escaped again, for example a URL in HTML in JSON. */
const maxEscapes = 3

function* listReadings(text: string): Generator<string> {
  let reading = text
  for (let level = 0; level <= maxEscapes; level++) {
    yield reading
    const decoded = decode(reading)
    if (decoded === reading) return
    reading = decoded
  }
}

/** Returns the digits of a phone number in any notation, without leading zeros and without the `(0)` of some countries. */
export const readDigits = (number: string): string =>
  toAsciiDigits(number)
    .replaceAll(/\(0\)|\D/g, '')
    .replace(/^0+/, '')

/**
 * Returns a function that checks whether text contains a phone number. `digits` includes the country code. In the text, the
 * digits may be those of any script, and anything except letters and digits may stand between them; after the country code,
 * a zero may follow, too. The number is not found within a longer run of digits. The check takes linear time, because the text may
 * come from an attacker.
 */
export const findNumber = (digits: string): ((text: string) => boolean) => {
  // By then, what stands between two digits is one blank, unless it has letters, and only the first three gaps may contain a zero, because a country
  // code has at most three digits. So the expression can match in few ways, and never backtracks far.
  const toPattern = (digit: string, index: number): string =>
    `${index === 0 ? '' : index > 3 ? ' ?' : '(?: (?:0 ?)?)?'}${digit}`
  const pattern = new RegExp(String.raw`(?<!\d)0*${[...digits].map(toPattern).join('')}(?!\d)`)
  return (text) => {
    for (const reading of listReadings(text)) {
      if (pattern.test(toAsciiDigits(reading).replaceAll(/[^\p{L}0-9]+/gu, ' '))) return true
    }
    return false
  }
}
