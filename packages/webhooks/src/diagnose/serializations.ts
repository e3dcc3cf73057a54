const toOneLine = (pretty: string): string => pretty.replace(/,\n */g, ', ').replace(/\n */g, '')

/** The layouts of common JSON writers. */
const layouts: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => toOneLine(JSON.stringify(value, null, 1)),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, 4),
  (value) => JSON.stringify(value, null, '\t'),
]

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const escapeNonAscii = (json: string): string => json.replace(/[\u0080-\uffff]/g, escapeCharacter)
const escapeSlashes = (json: string): string => json.replaceAll('/', '\\/')
const escapeHtml = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, escapeCharacter)

/** The characters that they escape although JSON does not require it. */
const escapes: readonly ((json: string) => string)[] = [
  (json) => json,
  escapeNonAscii,
  escapeSlashes,
  (json) => escapeSlashes(escapeNonAscii(json)),
  escapeHtml,
]

const reserialize = (text: string): string[] => {
  try {
    const value: unknown = JSON.parse(text)
    return layouts.flatMap((layout) => escapes.map((write) => write(layout(value))))
  } catch {
    return []
  }
}

/** Lists the bodies that a sender may have signed if `text` is the result of parsing and serializing one of them. */
export const listSerializations = (text: string): Set<string> => {
  const plain = text.replace(/^\ufeff/, '').trim()
  const bodies = [
    plain,
    plain.replaceAll('\r\n', '\n'),
    plain.replace(/\r?\n/g, '\r\n'),
    ...reserialize(plain),
  ]
  return new Set(bodies.flatMap((body) => [body, `${body}\n`, `${body}\r\n`, `\ufeff${body}`]))
}
