import { encoder } from '../bytes.ts'
import { isWebhookParseError } from '../errors.ts'
import { type ParsedEvent, parseEvent, type RawPayload } from '../parse/parse-event.ts'
import { findNaturalKey, hash, toDeliveryKey } from '../receiver/handle-once.ts'
import type { InboxDelivery } from '../receiver/inbox.ts'
import { readBytes, serializeHeaders } from './read-entry.ts'

/** Makes text storable in every database: shortens it, and replaces NUL and lone surrogates. */
export const toStorableText = (text: string, maximumLength = 200): string =>
  text.slice(0, maximumLength).toWellFormed().replaceAll('\0', '\ufffd')

/** Parses a body. Returns `undefined` when it does not contain a JSON object. */
export const parseStored = (body: Uint8Array, maxBytes: number): ParsedEvent | undefined => {
  try {
    return parseEvent(body, { maxBytes })
  } catch (error) {
    if (isWebhookParseError(error)) return undefined
    throw error
  }
}

/** Parses the body of a row. Returns `undefined` when it does not contain a JSON object or is no longer kept. */
export const parseRow = (row: unknown, maxBytes: number): ParsedEvent | undefined => {
  const body = readBytes(row)
  return body && parseStored(body, maxBytes)
}

/** Returns the lane of a call or a group. */
export const toSubject = async (kind: 'call' | 'group', id: string): Promise<string> =>
  `${kind}:${id.length <= 180 ? toStorableText(id) : await hashText(id)}`

/** Returns the lane of an event: its call or group, even if the event is unknown or drifted. */
const findSubject = async (parsed: ParsedEvent | undefined): Promise<string | null> => {
  if (parsed === undefined) return null
  const { event, callId, groupId }: RawPayload = parsed.kind === 'event' ? parsed.event : parsed.raw
  if (event !== 'GROUP_CREATED' && typeof callId === 'string' && callId !== '')
    return toSubject('call', callId)
  return typeof groupId === 'string' && groupId !== '' ? toSubject('group', groupId) : null
}

/** Returns the hash by which the inbox remembers a string, even after erasure. */
export const hashText = (text: string): Promise<string> => hash(encoder.encode(text))

/** Returns the key of an event that happens once. The key does not depend on the source. */
export const hashFact = (naturalKey: string): Promise<string> => hashText(`fact\n${naturalKey}`)

const toColumn = (text: string | undefined): string | null =>
  text === undefined ? null : toStorableText(text)

export type StoredEvent = Awaited<ReturnType<typeof identify>>

/**
 * Returns the columns of an event. Two of them identify duplicates. `key` is derived from the source and the id or,
 * without an id, from the natural key or the body. `fact` is derived from the natural key of an event that happens once
 * per call or group, and does not depend on the source.
 */
export const identify = async (
  { body, id, source = 'webhook', sentAt, headers }: InboxDelivery,
  maxBodyBytes: number,
) => {
  const parsed = parseStored(body, maxBodyBytes)
  const natural = findNaturalKey(parsed)
  return {
    key: await hashText(`${source}\n${await toDeliveryKey(id, parsed, body)}`),
    source: toStorableText(source),
    deliveryId: toColumn(id),
    name: toColumn(parsed?.kind === 'event' ? parsed.event.event : parsed?.name),
    fact: natural === undefined ? null : await hashFact(natural),
    subject: await findSubject(parsed),
    sentAt: sentAt?.getTime() ?? null,
    headers: headers === undefined ? null : serializeHeaders(headers),
    body,
  }
}
