import { isWebhookParseError } from '../errors.ts'
import { type ParsedEvent, parseEvent, type RawPayload } from '../parse/parse-event.ts'
import { encoder } from '../payload.ts'
import { findNaturalKey, hash, toDeliveryKey } from '../receiver/delivery-key.ts'
import type { InboxDelivery } from '../receiver/inbox.ts'
import { serializeHeaders } from './read-entry.ts'

/** Makes text storable in every database: at most 200 characters, without NUL and lone surrogates. */
export const toStorableText = (text: string, maximumLength = 200): string =>
  text.slice(0, maximumLength).toWellFormed().replaceAll('\0', '\ufffd')

/** Parses a body; `undefined` when it contains no JSON object. */
export const parseStored = (body: Uint8Array, maxBytes: number): ParsedEvent | undefined => {
  try {
    return parseEvent(body, { maxBytes })
  } catch (error) {
    if (isWebhookParseError(error)) return undefined
    throw error
  }
}

/** Returns the lane of a call. */
export const toCallSubject = (callId: string): Promise<string> => toSubject('call', callId)

/** Returns the lane of a group. */
export const toGroupSubject = (groupId: string): Promise<string> => toSubject('group', groupId)

const toSubject = async (kind: 'call' | 'group', id: string): Promise<string> =>
  `${kind}:${id.length <= 180 ? toStorableText(id) : await hashText(id)}`

/** Returns the call or group of an event, even of an unknown or a drifted one. What happens once to a group is in its lane. */
const findSubject = async (parsed: ParsedEvent | undefined): Promise<string | undefined> => {
  if (parsed === undefined) return undefined
  const { event, callId, groupId }: RawPayload = parsed.kind === 'event' ? parsed.event : parsed.raw
  if (event !== 'GROUP_CREATED' && typeof callId === 'string' && callId !== '') return toCallSubject(callId)
  return typeof groupId === 'string' && groupId !== '' ? toGroupSubject(groupId) : undefined
}

/** The key under which the inbox remembers a text, also after erasure. */
export const hashText = (text: string): Promise<string> => hash(encoder.encode(text))

/** The key of an event that happens once. It has no source, because it is the same event wherever it comes from. */
export const hashFact = (naturalKey: string): Promise<string> => hashText(`fact\n${naturalKey}`)

/** An event to store. */
export type StoredEvent = Awaited<ReturnType<typeof identify>>

/**
 * Describes an event by what duplicates of it are recognized: its id within its source (without one, what happens once,
 * or the hash of its body), and what happens once.
 */
export const identify = async (
  { body, id, source = 'webhook', sentAt, headers }: InboxDelivery,
  { maxBodyBytes }: { readonly maxBodyBytes: number },
) => {
  const parsed = parseStored(body, maxBodyBytes)
  const natural = findNaturalKey(parsed)
  const name = parsed?.kind === 'event' ? parsed.event.event : parsed?.name
  return {
    key: await hashText(`${source}\n${await toDeliveryKey(id, parsed, body)}`),
    source: toStorableText(source),
    deliveryId: id === undefined ? undefined : toStorableText(id),
    name: name === undefined ? undefined : toStorableText(name),
    fact: natural === undefined ? undefined : await hashFact(natural),
    subject: await findSubject(parsed),
    sentAt,
    headers: headers && serializeHeaders(headers),
    body,
  }
}
