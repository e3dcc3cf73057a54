import { toBytes } from '../bytes.ts'
import type { InboxDelivery } from '../receiver/inbox.ts'
import type { InboxEntry, InboxState, ParkedReason } from '../receiver/inbox-entries.ts'
import { readColumn } from '../sql/sql-database.ts'

export const claimedColumns =
  'id, event_key, delivery_id, name, subject, attempts, received_at, sent_at, headers, body'

export const entryColumns =
  'id, state, reason, error, source, delivery_id, name, subject, attempts, received_at, sent_at, due_at'

/** The headers to store. None of them contains a secret. */
const storedHeaders = ['webhook-id', 'webhook-timestamp', 'content-type', 'traceparent', 'tracestate']

/**
 * What else is known about a request. It is stored like headers, so that it needs no columns. No request can set it,
 * because only the headers above are stored.
 */
const marks = { bodyWasParsed: 'body-was-parsed', verifiedBy: 'verified-by' }

export const serializeHeaders = (
  headers: Headers,
  { bodyWasParsed, verifiedBy = [] }: Pick<InboxDelivery, 'bodyWasParsed' | 'verifiedBy'> = {},
): string =>
  JSON.stringify([
    ...storedHeaders.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
    ...(bodyWasParsed ? [[marks.bodyWasParsed, 'true']] : []),
    ...verifiedBy.map((scheme) => [marks.verifiedBy, scheme]),
  ])

/** Reads stored headers, and the marks among them. */
const readHeaders = (row: unknown) => {
  const stored: [name: string, value: string][] = JSON.parse(readText(row, 'headers') ?? '[]')
  const read = (mark: string) => stored.filter(([name]) => name === mark).map(([, value]) => value)
  const isMark = ([name]: [string, string]) => Object.values(marks).includes(name)
  return {
    headers: new Headers(stored.filter((each) => !isMark(each))),
    bodyWasParsed: read(marks.bodyWasParsed).length > 0,
    verifiedBy: read(marks.verifiedBy),
  }
}

const decoder = /* @__PURE__ */ new TextDecoder()

/** Reads text, which drivers can be set to return as bytes. */
export const readText = (row: unknown, column: string): string | undefined => {
  const value = readColumn(row, column)
  if (typeof value === 'string') return value
  return ArrayBuffer.isView(value) ? decoder.decode(value) : undefined
}

/** Reads a time. Returns `undefined` for NULL, and for a value that is not a time. */
export const readDate = (row: unknown, column: string): Date | undefined => {
  const value = readColumn(row, column)
  const date = new Date(Number(value ?? Number.NaN))
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Reads the body of a row. Returns `undefined` when the row has none. */
export const readBytes = (row: unknown): Uint8Array | undefined => {
  const body = readColumn(row, 'body')
  if (body === null || body === undefined) return undefined
  // Drivers of PostgreSQL return bytes as text if no parser is set for them.
  const hex = typeof body === 'string' ? /^\\x((?:[0-9a-f]{2})*)$/.exec(body)?.[1] : undefined
  if (hex !== undefined) return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  // SQLite stores a value of any type.
  return toBytes(typeof body === 'bigint' || typeof body === 'number' ? String(body) : body)
}

const readShared = (row: unknown) => ({
  id: String(readColumn(row, 'id')),
  deliveryId: readText(row, 'delivery_id'),
  name: readText(row, 'name'),
  subject: readText(row, 'subject'),
  attempts: Number(readColumn(row, 'attempts')),
  receivedAt: readDate(row, 'received_at') ?? new Date(0),
  sentAt: readDate(row, 'sent_at'),
})

export const readClaimed = (row: unknown, token: string) => {
  const known = readColumn(row, 'known')
  return {
    ...readShared(row),
    order: Number(readColumn(row, 'id')),
    token,
    key: readText(row, 'event_key') ?? '',
    ...readHeaders(row),
    body: readBytes(row) ?? new Uint8Array(),
    /** The new state of the entry, if another one with the same fact was handled, discarded or erased. */
    known: known === 'suppressed' || known === 'erased' ? known : undefined,
  } as const
}

export type ClaimedEntry = ReturnType<typeof readClaimed> & {
  /** Why the entry cannot be handled: its row is damaged, so most fields have no values. */
  readonly damage?: Error
}

export const readEntry = (row: unknown): InboxEntry => ({
  ...readShared(row),
  // The column has no other values.
  state: readText(row, 'state') as InboxState,
  reason: readText(row, 'reason') as ParkedReason | undefined,
  error: readText(row, 'error'),
  source: readText(row, 'source') ?? '',
  dueAt: readDate(row, 'due_at') ?? new Date(0),
})
