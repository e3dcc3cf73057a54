import { digest } from '#hmac'
import { encoder } from '../bytes.ts'
import type { ParsedEvent } from '../parse/parse-event.ts'

/** Maximum length of a key, which a database must be able to index. */
const maximumLength = 200

/** Returns the SHA-256 of bytes, with the prefix `sha256:`. */
export const hash = async (bytes: Uint8Array): Promise<string> => `sha256:${await digest(bytes)}`

/**
 * Returns a key for an event that happens once, or `undefined` for other events, which may happen again with the same
 * ids.
 */
export const findNaturalKey = (parsed: ParsedEvent | undefined): string | undefined => {
  if (parsed?.kind !== 'event') return undefined
  const { event } = parsed
  if (event.event === 'CALL_AI_SUMMARY') return `${event.event}:${event.callId}`
  return event.event === 'GROUP_CREATED' ? `${event.event}:${event.groupId}` : undefined
}

/**
 * Returns the key by which duplicates of a delivery are recognized: its `webhook-id`; otherwise the identity of an event
 * that happens once; otherwise the SHA-256 of its body.
 */
export const toDeliveryKey = (
  id: string | undefined,
  parsed: ParsedEvent | undefined,
  body: Uint8Array,
): string | Promise<string> => {
  const key = id === undefined ? findNaturalKey(parsed) : `id:${id}`
  if (key === undefined) return hash(body)
  return key.length <= maximumLength ? key : hash(encoder.encode(key))
}
