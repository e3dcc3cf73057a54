const numbers = /number$|phone$|^(?:from|to)$/i
const secrets = /^(?:recap|keyPoints|nextSteps|inviteLink|recordingUrl|customerName|message)$/i
const deepest = 16

const maskNumber = (value: string): string => (value.length > 4 ? `***${value.slice(-2)}` : '***')

const maskAll = (value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return value
  return Array.isArray(value) ? value.map(() => '***') : '***'
}

const mask = (name: string, value: unknown, depth: number): unknown => {
  if (secrets.test(name)) return maskAll(value)
  if (numbers.test(name) && (typeof value === 'string' || typeof value === 'number')) {
    return value === '' ? value : maskNumber(String(value))
  }
  return copy(value, depth + 1)
}

const copy = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return '***'
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mask(name, field, depth)]))
}

/**
 * A copy of an event (or of any payload, known or not) that is safe to log. Phone numbers keep their last two
 * characters; recap, key points, next steps, invite links, recording links, customer names and messages are masked;
 * what is nested deeper than 16 levels is left out. The value itself is not changed.
 *
 * @example
 * logger.info(redact(event)) // { event: 'CALL_AI_SUMMARY', from: '***67', summary: { recap: '***', … }, … }
 */
export const redact = <Value>(value: Value): Value => copy(value, 0) as Value
