/** Decodes what JSON and programming languages write for characters in a quoted text. */
export const decodeEscapes = (text: string): string =>
  text
    .replace(
      /\\U([\da-fA-F]{8})|\\u\{([\da-fA-F]+)\}|\\u([\da-fA-F]{4})|\\x([\da-fA-F]{2})/g,
      (_, ...digits: (string | undefined)[]) => {
        const code = Number.parseInt(digits.slice(0, 4).find(Boolean) ?? '', 16)
        return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)
      },
    )
    .replaceAll('\\', '')
    .normalize()

const decodePercents = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|lt|gt|quot|apos));/gi, (_, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : (entities[name.toLowerCase()] ?? ''),
  )

/** Returns whether effects show a text, as it is or in the notation of JSON, a programming language, a URL or HTML. */
export const showsText = (effects: string, text: string): boolean => {
  const decoded = decodeEscapes(effects)
  const forms = [
    decoded,
    decodePercents(decoded),
    decodePercents(decoded.replaceAll('+', ' ')),
    decodeEntities(decoded),
  ]
  return forms.some((form) => form.includes(text.normalize()))
}
