import { timestampFields, type WebhookEvent } from '@wabakit/wire'
import { digest } from '#hmac'
import type { ParsedEvent, RawPayload } from '../parse/parse-event.ts'
import { apply } from '../verifiers/verify-signature.ts'

/**
 * The part of an event from which its key is derived.
 *
 * - `id`: the sender's id of the delivery, such as its `webhook-id`.
 * - `fact`: something that happens once: the summary of a call, or the creation of a group at the time that it states.
 * - `body`: the SHA-256 of the body, because two genuine events cannot have this body.
 * - `none`: nothing, because two genuine events may have this body. Every arrival gets a different key, so a
 *   repeat is handled again.
 */
export type EventIdentity = 'id' | 'fact' | 'body' | 'none'

/** The key of an event, and the part from which it is derived. */
export type Identity = { readonly key: string; readonly identity: EventIdentity }

export const hashText = async (text: string): Promise<string> => `sha256:${await digest(text)}`

/**
 * Checks whether a group event contains its group and its own time. Without them, a later event may have the
 * same body.
 */
const statesIdAndTime = (event: WebhookEvent): boolean => {
  const raw: RawPayload = event
  return timestampFields.some(([field, name]) => name === event.event && raw.groupId && raw[field])
}

export const toSummaryFact = (callId: string): string => `CALL_AI_SUMMARY:${callId}`

/**
 * Returns the fact that an event reports, if that fact happens only once. An inbox treats deliveries with the
 * same fact as the same event, even with different ids. The creation of a group includes its time, because
 * group ids can be reused.
 */
export const findFact = (parsed: ParsedEvent | undefined): string | undefined => {
  if (parsed?.kind !== 'event') return undefined
  const { event } = parsed
  if (event.event === 'CALL_AI_SUMMARY') return toSummaryFact(event.callId)
  if (event.event !== 'GROUP_CREATED' || !statesIdAndTime(event)) return undefined
  return `GROUP_CREATED:${event.groupCreatedAt}:${event.groupId}`
}

/**
 * Checks whether two deliveries with the body of this event must be the same event. CALL_NOT_PICKED is sent
 * for each agent who did not answer, and does not name the agent.
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
  /** The name of the sender, within which ids are unique. @default 'webhook' */
  readonly source?: string | undefined
}

/**
 * Returns a key: its kind of identity, a colon, and a SHA-256. Every database can index it, every queue
 * accepts it as a message id, and it discloses no id of a call or a customer.
 */
export const toKey = (identity: EventIdentity, text: string): Identity | Promise<Identity> =>
  apply(digest(text), (hash) => ({ key: `${identity}:${hash}`, identity }))

/**
 * Returns the identity of an event. `parsed` is undefined if the body cannot be read. Two deliveries with the
 * same key are one event. These recognize the second one; without `dedupe` and inbox, nothing does:
 *
 * - `receiver/handle-once.ts`, which claims the key in the dedupe store. By default, it is remembered for 7 days (`dedupe/dedupe.ts`).
 * - `inbox/store-events.ts`, which inserts each key once. By default, it is remembered until 30 days after its body was deleted
 *   (`retention` in `inbox/sql-inbox.ts`). A second body replaces that of an unhandled or parked entry.
 * - `inbox/entries.ts`, which suppresses an entry whose fact was handled or discarded under another key.
 */
export const toIdentity = (
  parsed: ParsedEvent | undefined,
  { id, body, source = 'webhook' }: Arrival,
): Identity | Promise<Identity> => {
  if (id !== undefined) return toKey('id', `${source}\n${id}`)
  const fact = findFact(parsed)
  if (fact !== undefined) return toKey('fact', `${source}\n${fact}`)
  if (hasUniqueBody(parsed)) return apply(digest(body), (hash) => toKey('body', `${source}\n${hash}`))
  return { key: `none:${crypto.randomUUID()}`, identity: 'none' }
}

/**
 * Returns the subject of a call or a group. The id is replaced with a hash if the subject would otherwise
 * have more than 128 characters, or characters other than visible ASCII. Every database can index the result,
 * and every queue accepts it as the group of a message.
 */
export const toSubject = async (kind: 'call' | 'group', id: string): Promise<string> => {
  const subject = `${kind}:${id}`
  return /^[!-~]{1,128}$/.test(subject) ? subject : `${kind}:${await hashText(subject)}`
}

/** Returns the subject of an event: its call or its group, even if the event is unknown or drifted. */
export const findSubject = async (parsed: ParsedEvent | undefined): Promise<string | undefined> => {
  if (parsed === undefined) return undefined
  const { event, callId, groupId }: RawPayload = parsed.kind === 'event' ? parsed.event : parsed.raw
  if (event !== 'GROUP_CREATED' && typeof callId === 'string' && callId !== '')
    return toSubject('call', callId)
  return typeof groupId === 'string' && groupId !== '' ? toSubject('group', groupId) : undefined
}
