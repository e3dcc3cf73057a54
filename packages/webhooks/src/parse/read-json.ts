import { WebhookParseError } from '../errors/webhook-parse-error.ts'
import { isBytes } from '../payload.ts'
import type { RawPayload } from './recognise.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const decode = (bytes: ArrayBuffer | ArrayBufferView): string => {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new WebhookParseError('not_utf8', 'The body is not UTF-8.', { cause })
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new WebhookParseError('not_json', 'The body is not JSON.', { cause })
  }
}

/** A text has at least as many bytes as UTF-16 units and at most three times as many. */
const exceeds = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && encoder.encode(text).length > maxBytes)

const isRawPayload = (value: unknown): value is RawPayload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readValue = (input: unknown, maxBytes: number): unknown => {
  const tooLarge = () => new WebhookParseError('too_large', `The body has more than ${maxBytes} bytes.`)
  if (typeof input === 'string') {
    if (exceeds(input, maxBytes)) throw tooLarge()
    // A byte order mark may be ignored (RFC 8259 section 8.1); the decoder of bytes does so too.
    return parseJson(input.startsWith('\ufeff') ? input.slice(1) : input)
  }
  if (isBytes(input)) {
    if (input.byteLength > maxBytes) throw tooLarge()
    return parseJson(decode(input))
  }
  return input
}

/** @throws WebhookParseError when `input` is not, or does not hold, a JSON object. */
export const readJsonObject = (input: unknown, maxBytes: number): RawPayload => {
  const value = readValue(input, maxBytes)
  if (!isRawPayload(value)) throw new WebhookParseError('not_an_object', 'The body is not a JSON object.')
  return value
}
