import type { RecognizedBy } from '../parse/parse-event.ts'

/** The second argument of every handler: the delivery that its event came with. */
export type DeliveryContext<Transaction = undefined> = {
  /** The delivery. The same on every attempt. */
  readonly delivery: {
    /** The `webhook-id`, if the sender sends one. */
    readonly id: string | undefined
    /** The key by which duplicates are recognized. */
    readonly key: string
  }
  /** This attempt. */
  readonly attempt: {
    /** When the sender sent it, from `webhook-timestamp`. */
    readonly at: Date | undefined
    /** When it arrived here. */
    readonly receivedAt: Date
  }
  /** The bytes of the body exactly as they arrived. */
  readonly rawBody: Uint8Array
  /** The request's headers. */
  readonly headers: Headers
  /** How the event was recognized; `undefined` for an unknown or a drifted event. */
  readonly recognizedBy: RecognizedBy | undefined
  /** Aborts when the handler's time is up, or when the sender hangs up while it waits for the response. */
  readonly signal: AbortSignal
  /** The transaction of the receiver's inbox, such as a client of `pg`; `undefined` without an inbox. */
  readonly transaction: Transaction
}
