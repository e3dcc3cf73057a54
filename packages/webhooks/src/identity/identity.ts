import type { WebhookEvent } from '@wabakit/wire'
import { digest } from '#hmac'
import { encoder } from '../bytes.ts'
import { type ParsedEvent, type RawPayload, timestampFields } from '../parse/parse-event.ts'
import { apply } from '../verifiers/verify-signature.ts'

/**
 * What the key of an event rests on.
 *
 * - `id`: the sender's id of the delivery, such as its `webhook-id`.
 * - `fact`: something that happens once: the summary of a call, or the creation of a group at the time that it states.
 * - `body`: the SHA-256 of the body, because two genuine events cannot have this body.
 * - `none`: nothing, because two genuine events may have this body. Every arrival has a key of its own, so a repeat is
 *   handled again.
 */
export type EventIdentity = 'id' | 'fact' | 'body' | 'none'

/** The key of an event, and what it rests on. */
export type Identity = { readonly key: string; readonly identity: EventIdentity }

/** Returns the SHA-256 of bytes, with the prefix `sha256:`. */
const hash = async (bytes: Uint8Array): Promise<string> => `sha256:${await digest(bytes)}`

export const hashText = (text: string): Promise<string> => hash(encoder.encode(text))

/**
 * Replaces text with its hash, unless it has at most 128 visible ASCII characters: every database can index those, and
 * every queue accepts them as the id or group of a message.
 */
const shorten = (text: string): string | Promise<string> =>
  /^[!-~]{1,128}$/.test(text) ? text : hashText(text)

/** Checks whether a group event states its group and its own time. Without them, a later event may have the same body. */
const statesIdAndTime = (event: WebhookEvent): boolean => {
  const raw: RawPayload = event
  return timestampFields.some(([field, name]) => name === event.event && raw.groupId && raw[field])
}

/** Returns the fact of the summary of a call. */
export const toSummaryFact = (callId: string): string => `CALL_AI_SUMMARY:${callId}`

/**
 * Returns what an event reports if that happens once, whatever the ids of its deliveries. The creation of a group
 * includes its time, because the id of a group can be used again.
 */
export const findFact = (parsed: ParsedEvent | undefined): string | undefined => {
  if (parsed?.kind !== 'event') return undefined
  const { event } = parsed
  if (event.event === 'CALL_AI_SUMMARY') return toSummaryFact(event.callId)
  if (event.event !== 'GROUP_CREATED' || !statesIdAndTime(event)) return undefined
  return `GROUP_CREATED:${event.groupCreatedAt}:${event.groupId}`
}

/**
 * Checks whether two deliveries with the body of this event must be the same event. CALL_NOT_PICKED is sent for each
 * agent who did not answer, and does not name the agent.
 */
const hasUniqueBody = (parsed: ParsedEvent | undefined): boolean => {
  if (parsed?.kind !== 'event') return false
  const { event } = parsed
  if (event.event === 'CALL_NOT_PICKED') return false
  return event.event.startsWith('CALL_') || statesIdAndTime(event)
}

type Arrival = {
  /** The sender's id, if it has sent one. */
  readonly id: string | undefined
  readonly body: Uint8Array
}

/**
 * Returns the identity of an event. `parsed` is undefined if the body cannot be read. Two deliveries with the same key
 * are one event.
 */
export const toIdentity = (
  parsed: ParsedEvent | undefined,
  { id, body }: Arrival,
): Identity | Promise<Identity> => {
  const complete = (identity: EventIdentity, from: string | Promise<string>) =>
    apply(from, (key) => ({ key, identity }))
  if (id !== undefined) return complete('id', shorten(`id:${id}`))
  const fact = findFact(parsed)
  if (fact !== undefined) return complete('fact', shorten(fact))
  return hasUniqueBody(parsed)
    ? complete('body', hash(body))
    : complete('none', `none:${crypto.randomUUID()}`)
}

/** Returns the subject of a call or a group. */
export const toSubject = async (kind: 'call' | 'group', id: string): Promise<string> => {
  const subject = `${kind}:${id}`
  const short = await shorten(subject)
  return short === subject ? subject : `${kind}:${short}`
}

/** Returns the subject of an event: its call or its group, even if the event is unknown or drifted. */
export const findSubject = async (parsed: ParsedEvent | undefined): Promise<string | undefined> => {
  if (parsed === undefined) return undefined
  const { event, callId, groupId }: RawPayload = parsed.kind === 'event' ? parsed.event : parsed.raw
  if (event !== 'GROUP_CREATED' && typeof callId === 'string' && callId !== '')
    return toSubject('call', callId)
  return typeof groupId === 'string' && groupId !== '' ? toSubject('group', groupId) : undefined
}
