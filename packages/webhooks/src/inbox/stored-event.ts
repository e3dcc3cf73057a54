import { type EventIdentity, findFact, findSubject, hashText, toIdentity } from '../identity/identity.ts'
import { type ParsedEvent, parseIfReadable } from '../parse/parse-event.ts'
import type { InboxDelivery } from '../receiver/inbox.ts'
import { readBytes, serializeHeaders } from './read-entry.ts'

/** Makes text storable in every database: shortens it, and replaces NUL and lone surrogates. */
export const toStorableText = (text: string, maximumLength = 200): string =>
  text.slice(0, maximumLength).toWellFormed().replaceAll('\0', '\ufffd')

/** Parses the body of a row. Returns `undefined` when there is none, or it is too large or not a JSON object. */
export const parseRow = (row: unknown, maxBytes: number): ParsedEvent | undefined => {
  const body = readBytes(row)
  return body && parseIfReadable(body, maxBytes)
}

/** Returns the hash by which the inbox remembers a fact, even after erasure. It does not depend on the source. */
export const hashFact = (fact: string): Promise<string> => hashText(`fact\n${fact}`)

/** Reads the kind of identity from the key of an entry. */
export const readIdentity = (key: string): EventIdentity =>
  (['id', 'fact', 'body'] as const).find((identity) => key.startsWith(`${identity}:`)) ?? 'none'

const toColumn = (text: string | undefined): string | null =>
  text === undefined ? null : toStorableText(text)

export type StoredEvent = Awaited<ReturnType<typeof toStoredEvent>>

/**
 * Returns the columns of an event. Two of them identify duplicates: `key`, within the source, and `fact`,
 * which does not depend on the source or the ids.
 */
export const toStoredEvent = async (
  { body, id, source = 'webhook', sentAt, headers, bodyWasParsed, verifiedBy }: InboxDelivery,
  maxBodyBytes: number,
) => {
  const parsed = parseIfReadable(body, maxBodyBytes)
  const fact = findFact(parsed)
  return {
    key: (await toIdentity(parsed, { id, body, source })).key,
    source: toStorableText(source),
    deliveryId: toColumn(id),
    name: toColumn(parsed?.kind === 'event' ? parsed.event.event : parsed?.name),
    fact: fact === undefined ? null : await hashFact(fact),
    subject: (await findSubject(parsed)) ?? null,
    sentAt: sentAt?.getTime() ?? null,
    headers: headers === undefined ? null : serializeHeaders(headers, { bodyWasParsed, verifiedBy }),
    body,
  }
}
