import type { EventName, WebhookEvent, WebhookEventOf } from '@wabakit/contract'

/** An attempt to deliver an event, recorded when it was answered or had failed. */
export type RecordedDelivery<Event extends WebhookEvent = WebhookEvent> = {
  /** The `webhook-id`: the same on every attempt at one event. */
  readonly id: string
  /** The event's name; empty when its payload has none. */
  readonly name: string
  /** The event; `undefined` when the payload is no known event that fits its contract. */
  readonly event: Event | undefined
  /** `receiver` (given to `deliverTo`), `collector` (nobody was), or the subscription's URL. */
  readonly to: string
  /** Number of the attempt that arrived or got lost, from 1; a duplicate counts, too. */
  readonly attempt: number
  /** When, on the mock's clock, as Unix time in milliseconds. */
  readonly at: number
  /** Headers as they were sent. */
  readonly headers: Headers
  /** Body as it was sent. */
  readonly body: string
  /** HTTP status of the answer; `undefined` when none came. */
  readonly status: number | undefined
  /** Beginning of the answer's body. */
  readonly answer: string
  /** Why no answer came; `undefined` when one did. */
  readonly error: string | undefined
  /** Whether the answer was 200 to 299. */
  readonly acknowledged: boolean
  /** The faults that hit this attempt. */
  readonly faults: readonly ('duplicate' | 'drop' | 'tamper' | 'delay' | 'reorder')[]
}

/** A delivery of an event of this name. */
export type DeliveryOf<Name extends EventName> = RecordedDelivery<WebhookEventOf<Name>> & {
  readonly event: WebhookEventOf<Name>
}
