import {
  type EventName,
  escapeControls,
  type Issue,
  isEventName,
  timestampFields,
  validateEvent,
  type WebhookEvent,
} from '@wabakit/wire'
import { encoder, isArrayBuffer } from '../bytes.ts'
import { isWebhookParseError, WebhookParseError } from '../errors.ts'
import { assertAboveZero } from '../usage.ts'

/** How an event was recognized: by its `event`, its `eventType`, or a field that only this event has. */
export type RecognizedBy = 'event' | 'eventType' | 'shape'

/** A JSON object that has not been validated. @inline */
export type RawPayload = { readonly [field: string]: unknown }

/** A known event that matches its contract. */
export type KnownEvent = {
  readonly kind: 'event'
  /** The event. Unknown extra fields are kept; `extraFields` reads them. */
  readonly event: WebhookEvent
  /** How the event was recognized. */
  readonly recognizedBy: RecognizedBy
}

/** A known event that does not match its contract. */
export type DriftedEvent = {
  readonly kind: 'drifted'
  /** The name of the event. */
  readonly name: EventName
  /** The mismatches, by field. */
  readonly issues: readonly Issue[]
  /** The payload as it arrived. */
  readonly raw: RawPayload
}

/** An event that this version does not know. */
export type UnknownEvent = {
  readonly kind: 'unknown'
  /** The name in the payload, if the payload contains a name. */
  readonly name: string | undefined
  /** The payload as it arrived. */
  readonly raw: RawPayload
}

/** The result of {@link parseEvent}. */
export type ParsedEvent = KnownEvent | DriftedEvent | UnknownEvent

/** Options for {@link parseEvent}. @inline */
export type ParseEventOptions = {
  /**
   * Maximum size in bytes.
   * @default 1_048_576
   */
  readonly maxBytes?: number | undefined
}

let decoder: TextDecoder | undefined

const decode = (bytes: ArrayBuffer | ArrayBufferView): string => {
  try {
    decoder ??= new TextDecoder('utf-8', { fatal: true })
    return decoder.decode(bytes)
  } catch (cause) {
    // After bytes that are not UTF-8, Firefox's decoder keeps the next byte order mark.
    decoder = undefined
    throw new WebhookParseError('not_utf8', 'The body is not UTF-8.', { cause })
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // Escapes the message, because it quotes the body.
    const cause = new SyntaxError(escapeControls(String(Object(error).message)))
    throw new WebhookParseError('not_json', 'The body is not JSON.', { cause })
  }
}

const readValue = (input: unknown, maxBytes: number): unknown => {
  const isText = typeof input === 'string'
  if (!isText && !ArrayBuffer.isView(input) && !isArrayBuffer(input)) return input
  const { byteLength } = isText ? encoder.encode(input) : input
  if (byteLength > maxBytes)
    throw new WebhookParseError('too_large', `The body has more than ${maxBytes} bytes.`)
  // A byte order mark may be ignored (RFC 8259 section 8.1); the byte decoder ignores it, too.
  return parseJson(isText ? input.replace(/^\ufeff/, '') : decode(input))
}

const isRawPayload = (value: unknown): value is RawPayload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the name of an event and, for a known event, how it was recognized. */
const recognize = (raw: RawPayload) => {
  for (const field of ['event', 'eventType'] as const) {
    const name = Object.hasOwn(raw, field) ? raw[field] : undefined
    if (typeof name !== 'string' || name === '') continue
    return isEventName(name) ? { name, recognizedBy: field } : { name }
  }
  const [only, ...others] = timestampFields.filter(([field]) => Object.hasOwn(raw, field))
  return only !== undefined && others.length === 0
    ? { name: only[1], recognizedBy: 'shape' as const }
    : { name: undefined }
}

/**
 * Parses the payload of a webhook: recognizes its event by `event`, otherwise by `eventType`, otherwise by
 * its shape, and validates it. It does not verify anything; see {@link verifySignature}.
 *
 * @param input - the body as bytes or text, or as the object that a JSON parser returned.
 * @throws WebhookParseError when the payload is not a JSON object, or has more than `maxBytes`.
 * @throws RangeError when `maxBytes` is not above 0.
 * @example
 * const parsed = parseEvent(body)
 * if (parsed.kind === 'event' && parsed.event.event === 'CALL_AI_SUMMARY') parsed.event.summary.recap
 */
export const parseEvent = (
  input: string | ArrayBuffer | ArrayBufferView | object,
  { maxBytes = 1_048_576 }: ParseEventOptions = {},
): ParsedEvent => {
  assertAboveZero('maxBytes', maxBytes)
  const raw = readValue(input, maxBytes)
  if (!isRawPayload(raw)) throw new WebhookParseError('not_an_object', 'The body is not a JSON object.')
  const { name, recognizedBy } = recognize(raw)
  if (recognizedBy === undefined) return { kind: 'unknown', name, raw }
  const result = validateEvent(name, recognizedBy === 'event' ? raw : { ...raw, event: name })
  return result.success
    ? { kind: 'event', event: result.data, recognizedBy }
    : { kind: 'drifted', name, issues: result.issues, raw }
}

/** Parses a body. Returns `undefined` when it is too large or not a JSON object. */
export const parseIfReadable = (body: Uint8Array, maxBytes: number): ParsedEvent | undefined => {
  try {
    return parseEvent(body, { maxBytes })
  } catch (error) {
    if (isWebhookParseError(error)) return undefined
    throw error
  }
}
