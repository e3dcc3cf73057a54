const toOneLine = (pretty: string): string => pretty.replace(/,\n */g, ', ').replace(/\n */g, '')

/** How common JSON libraries format a value. */
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

/** How common JSON libraries escape more characters than JSON requires. */
const escapes: readonly ((json: string) => string)[] = [
  (json) => json,
  escapeNonAscii,
  escapeSlashes,
  (json) => escapeSlashes(escapeNonAscii(json)),
  escapeHtml,
]

/** Limits on the JSON to serialize again: anyone can send it, and indentation multiplies the size of deep values. */
const maxLength = 65_536
const maxDepth = 16

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1)))

function* reserialize(text: string): Generator<string> {
  if (text.length > maxLength) return
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return
  }
  if (isDeeper(value, maxDepth)) return
  for (const layout of layouts) yield* new Set(escapes.map((write) => write(layout(value))))
}

/** Yields the bodies that a sender may have signed if `text` is the result of parsing and serializing one of them. */
export function* listSerializations(text: string): Generator<string> {
  const plain = text.trim()
  const lineBreaks = new Set([plain, plain.replaceAll('\r\n', '\n'), plain.replace(/\r?\n/g, '\r\n')])
  for (const bodies of [lineBreaks, reserialize(plain)]) {
    for (const body of bodies) yield* [body, `${body}\n`, `${body}\r\n`, `\ufeff${body}`]
  }
}
