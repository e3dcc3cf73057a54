import { type EventName, type Issue, validateEvent, type WebhookEvent } from '@wabakit/contract/events'
import { readJsonObject } from './read-json.ts'
import { type RawPayload, type RecognisedBy, recognise } from './recognise.ts'

/** A known event whose fields fit the contract. */
export type KnownEvent = {
  readonly kind: 'event'
  /** The event; unknown further fields are kept, and `extraFields` reads them. */
  readonly event: WebhookEvent
  /** What told the event's name. */
  readonly recognisedBy: RecognisedBy
}

/** A known event whose fields do not fit the contract. */
export type DriftedEvent = {
  readonly kind: 'drifted'
  /** Which event it says it is. */
  readonly name: EventName
  /** What does not fit, by field. */
  readonly issues: readonly Issue[]
  /** The payload as it came. */
  readonly raw: RawPayload
}

/** An event that this version does not know. */
export type UnknownEvent = {
  readonly kind: 'unknown'
  /** What it calls itself, if it does. */
  readonly name: string | undefined
  /** The payload as it came. */
  readonly raw: RawPayload
}

/** What a payload turned out to be. */
export type ParsedEvent = KnownEvent | DriftedEvent | UnknownEvent

/** Options of {@link parseEvent}. */
export type ParseEventOptions = {
  /**
   * Most bytes that are parsed.
   * @default 1_048_576
   */
  readonly maxBytes?: number
}

/**
 * Reads a webhook's payload as an event: recognises it by `event`, else `eventType`, else its shape, and validates it.
 * It verifies nothing; see {@link verifySignature}.
 *
 * @param input - the body's bytes or text, or the object a JSON parser made of it.
 * @throws WebhookParseError when there is no JSON object in it.
 * @example
 * const parsed = parseEvent(body)
 * if (parsed.kind === 'event' && parsed.event.event === 'CALL_AI_SUMMARY') parsed.event.summary.recap
 */
export const parseEvent = (
  input: string | ArrayBuffer | ArrayBufferView | object,
  { maxBytes = 1_048_576 }: ParseEventOptions = {},
): ParsedEvent => {
  const raw = readJsonObject(input, maxBytes)
  const { name, recognisedBy } = recognise(raw)
  if (recognisedBy === undefined) return { kind: 'unknown', name, raw }
  const result = validateEvent(name, recognisedBy === 'event' ? raw : { ...raw, event: name })
  return result.success
    ? { kind: 'event', event: result.data, recognisedBy }
    : { kind: 'drifted', name, issues: result.issues, raw }
}
