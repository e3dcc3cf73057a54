import { readHeader } from '../headers.ts'
import type { RecognisedBy } from '../parse/recognise.ts'
import type { Accepted } from './accept.ts'
import { deliveryKey } from './delivery-key.ts'

/** What a handler learns about a delivery besides its event. */
export type DeliveryContext<Transaction = undefined> = {
  /** The delivery, the same on every attempt. */
  readonly delivery: {
    /** The `webhook-id`, when the sender sends one. */
    readonly id: string | undefined
    /** What duplicates are recognised by. */
    readonly key: string
  }
  /** This attempt at it. */
  readonly attempt: {
    /** When the sender signed it, from `webhook-timestamp`. */
    readonly at: Date | undefined
    /** When it arrived here. */
    readonly receivedAt: Date
  }
  /** The body's bytes exactly as they came. */
  readonly rawBody: Uint8Array
  /** The request's headers. */
  readonly headers: Headers
  /** What told the event's name; `undefined` for an unknown or a drifted event. */
  readonly recognisedBy: RecognisedBy | undefined
  /** Aborts when the handler's time is up, or when the sender hangs up and still waits for its answer. */
  readonly signal: AbortSignal
  /** The transaction of the receiver's inbox, such as a client of `pg`; `undefined` without an inbox. */
  readonly transaction: Transaction
}

/** The time that a `webhook-timestamp` names. */
const attemptTime = (headers: Headers): Date | undefined => {
  const timestamp = readHeader(headers, 'webhook-timestamp')
  return timestamp !== undefined && /^\d{1,12}$/.test(timestamp)
    ? new Date(Number(timestamp) * 1000)
    : undefined
}

/** What only the request knows of a delivery. */
export type Arrival = Accepted & {
  readonly headers: Headers
  readonly receivedAt: Date
  readonly signal: AbortSignal
}

/** The context of a delivery. Synchronous where its key is. */
export const contextOf = (arrival: Arrival): DeliveryContext | Promise<DeliveryContext> => {
  const { headers, parsed, rawBody, receivedAt, signal } = arrival
  const id = readHeader(headers, 'webhook-id')
  const withKey = (key: string): DeliveryContext => ({
    delivery: { id, key },
    attempt: { at: attemptTime(headers), receivedAt },
    rawBody,
    headers,
    recognisedBy: parsed.kind === 'event' ? parsed.recognisedBy : undefined,
    signal,
    transaction: undefined,
  })
  const key = deliveryKey(id, parsed, rawBody)
  return typeof key === 'string' ? withKey(key) : key.then(withKey)
}
