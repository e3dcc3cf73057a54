import type { RecognizedBy } from '../parse/parse-event.ts'

/** The second argument of every handler: the delivery that contained the event. */
export type DeliveryContext = {
  /** The delivery, which is the same on every attempt. */
  readonly delivery: {
    /** The `webhook-id`, if the sender sends one. */
    readonly id: string | undefined
    /** The key by which duplicates are recognized. */
    readonly key: string
  }
  /** This attempt. */
  readonly attempt: {
    /** When the attempt was sent, from `webhook-timestamp`. */
    readonly at: Date | undefined
    /** When the request arrived. */
    readonly receivedAt: Date
  }
  /** The bytes of the body exactly as they arrived. */
  readonly rawBody: Uint8Array
  /** The request's headers. With an inbox, only those that identify or trace the delivery. */
  readonly headers: Headers
  /** How the event was recognized; `undefined` for an unknown or a drifted event. */
  readonly recognizedBy: RecognizedBy | undefined
  /**
   * Aborts when the handler's time is up, or when the sender hangs up while it waits for the response. With an inbox:
   * when the handler's time is up, when the claim is lost, or when the receiver stops.
   */
  readonly signal: AbortSignal
}
