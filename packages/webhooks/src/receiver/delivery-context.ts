import type { RecognisedBy } from '../parse/recognise.ts'

/** What a handler learns about a delivery besides its event. */
export type DeliveryContext = {
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
  /** Aborts when the handler's time is up or the sender hangs up. */
  readonly signal: AbortSignal
}
