const numberFields = /numbers?$|phone$|^(?:from|to)$/i
const secretFields =
  /^(?:recap|keyPoints|nextSteps|inviteLink|recordingUrl|customerName|pickedBy|rejectedBy|endedBy|message)$/i
const maxDepth = 16

const maskSecret = (value: unknown): unknown =>
  value === undefined || value === null || value === '' ? value : '***'

const maskNumber = (value: unknown): unknown =>
  (typeof value === 'string' || typeof value === 'number') && String(value).length > 4
    ? `***${String(value).slice(-2)}`
    : maskSecret(value)

const maskField = (name: string, value: unknown, depth: number): unknown => {
  const mask = secretFields.test(name) ? maskSecret : numberFields.test(name) ? maskNumber : undefined
  if (mask === undefined) return copy(value, depth)
  return Array.isArray(value) ? value.map(mask) : mask(value)
}

const copy = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '***'
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1))
  const fields = Object.entries(value).map(([name, field]) => [name, maskField(name, field, depth + 1)])
  return Object.fromEntries(fields)
}

/**
 * Returns a copy of an event, or of any other payload, for logs. Phone numbers of more than four characters keep their last
 * two. Recap, key points, next steps, invite links, recording URLs, names of people and messages are masked completely, and
 * so are shorter numbers, and objects and lists nested deeper than 16 levels. Fields are recognized by their names: strings in
 * unknown fields stay readable.
 *
 * @example
 * logger.info(redact(event)) // { event: 'CALL_AI_SUMMARY', from: '***67', summary: { recap: '***', … }, … }
 */
export const redact = <Value>(value: Value): Value => copy(value, 0) as Value

/** Control characters (C0, DEL, C1), line separators, and characters that change the direction of text. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Makes untrusted text safe to print or log on one line: replaces each control character, line separator and
 * bidirectional control with its escape, such as `\u001b`.
 *
 * @example
 * escapeControls('paid\u001b[2J') // 'paid\\u001b[2J'
 */
export const escapeControls = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
