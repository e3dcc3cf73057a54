import { WebhookVerificationError } from '../errors.ts'

/**
 * Request headers: a `Headers` object, a plain object with names in any case, or Node's headers, whose values
 * may be arrays.
 */
export type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** The parsed values of the three Standard Webhooks headers. They are not verified yet. */
export type SignatureHeaders = {
  /** The `webhook-id`. */
  readonly id: string
  /** The `webhook-timestamp`, in Unix seconds. */
  readonly timestamp: number
  /** The part of the signed string before the body: the id and the timestamp as sent, each followed by a full stop. */
  readonly signedPrefix: string
  /** The base64 signatures of version `v1`. Other versions are omitted. */
  readonly signatures: readonly string[]
}

/** Reads a header by its lowercase name. */
type HeaderReader = { get(name: string): string | null | undefined }

const isReader = (source: HeaderSource): source is Headers => typeof source.get === 'function'

/**
 * Reads headers from any source as `Headers` does: the values of a repeated header are joined by a comma and a space.
 */
export const toHeaderReader = (source: HeaderSource): HeaderReader => {
  if (isReader(source)) return source
  return {
    get: (name) => {
      const key = Object.hasOwn(source, name)
        ? name
        : Object.keys(source).find((each) => each.toLowerCase() === name)
      const value = key === undefined ? undefined : source[key]
      return typeof value === 'object' ? value.join(', ') : value
    },
  }
}

/** Returns the value of a required header. An empty header counts as absent. */
const readRequired = (headers: HeaderReader, header: string): string => {
  const value = headers.get(header)
  if (value) return value
  throw new WebhookVerificationError(
    'missing_header',
    `The header ${header} is missing. Does the sender sign, and do proxies forward it?`,
    { header },
  )
}

const malformed = (header: string, sentence: string) =>
  new WebhookVerificationError('malformed_header', `The header ${header} ${sentence}`, { header })

/**
 * Checks whether a string can be a `webhook-id`: one word of visible ASCII characters without a full stop.
 * The signed string is `id.timestamp.body` (Standard Webhooks 1.0, "Signature scheme"). With a full stop in
 * the id, one signature would match several ids and bodies.
 *
 * @example
 * isWebhookId('msg_1') // true
 */
export const isWebhookId = (id: string): boolean => /^[!-\-/-~]+$/.test(id)

/** The last second that a `Date` can represent (ECMA-262, "Time Values and Time Range"). */
const lastSecond = 8.64e12

/** Parses Unix seconds, or returns `undefined` for other text. A regex would be slower, and allocate. */
const parseTimestamp = (text: string): number | undefined => {
  if (text === '' || text.length > 13) return undefined
  let seconds = 0
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return undefined
    seconds = seconds * 10 + digit
  }
  return seconds <= lastSecond ? seconds : undefined
}

const parseSignatures = (value: string): string[] => {
  const signatures: string[] = []
  let wellFormed = false
  // Splitting takes several times as long, and there is one signature unless a secret is being rotated.
  for (const part of value.includes(' ') ? value.split(' ') : [value]) {
    const comma = part.indexOf(',')
    if (comma < 1) continue
    wellFormed = true
    // The values of a repeated header are joined by a comma and a space, so a signature may end in a comma.
    if (part.startsWith('v1,')) signatures.push(part.endsWith(',') ? part.slice(3, -1) : part.slice(3))
  }
  if (wellFormed) return signatures
  throw malformed('webhook-signature', 'must be signatures such as "v1,…", separated by spaces.')
}

/**
 * Parses the three headers of Standard Webhooks 1.0. It needs neither the body nor the clock.
 *
 * @throws WebhookVerificationError with reason `missing_header` or `malformed_header`.
 */
export const parseSignatureHeaders = (headers: HeaderReader): SignatureHeaders => {
  const id = readRequired(headers, 'webhook-id')
  const time = readRequired(headers, 'webhook-timestamp')
  const signature = readRequired(headers, 'webhook-signature')
  if (!isWebhookId(id)) {
    throw malformed('webhook-id', 'must be visible ASCII characters without a full stop.')
  }
  const timestamp = parseTimestamp(time)
  if (timestamp === undefined) throw malformed('webhook-timestamp', 'must be Unix seconds, digits only.')
  return { id, timestamp, signedPrefix: `${id}.${time}.`, signatures: parseSignatures(signature) }
}

/** Reads the id and the time of a delivery whose verifier does not determine them. Both are optional. */
export const readUnsignedHeaders = (headers: Headers) => {
  const timestamp = parseTimestamp(headers.get('webhook-timestamp') ?? '')
  return {
    id: headers.get('webhook-id') || undefined,
    sentAt: timestamp === undefined ? undefined : new Date(timestamp * 1000),
  }
}
