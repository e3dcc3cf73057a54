import type { ParsedEvent } from '../parse/parse-event.ts'

const longest = 200

const sha256 = async (bytes: Uint8Array): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** What identifies the events that happen once. Every other event may happen again with the same ids. */
const naturalKey = (parsed: ParsedEvent): string | undefined => {
  if (parsed.kind !== 'event') return undefined
  if (parsed.event.event === 'CALL_AI_SUMMARY') return `CALL_AI_SUMMARY:${parsed.event.callId}`
  if (parsed.event.event === 'GROUP_CREATED') return `GROUP_CREATED:${parsed.event.groupId}`
  return undefined
}

/**
 * What duplicates of a delivery are recognised by: its `webhook-id`; else the identity of an event that happens once;
 * else the SHA-256 of its body. Always short enough for a database's index.
 */
export const deliveryKey = (
  id: string | undefined,
  parsed: ParsedEvent,
  body: Uint8Array,
): string | Promise<string> => {
  const key = id === undefined ? naturalKey(parsed) : `id:${id}`
  if (key === undefined) return sha256(body)
  return key.length <= longest ? key : sha256(new TextEncoder().encode(key))
}
