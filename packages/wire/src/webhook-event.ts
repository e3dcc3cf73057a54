import type { AnyCallEvent } from './call-events.ts'
import type { AnyGroupEvent } from './group-events.ts'

/** Any known event: a union discriminated by `event`, so that a `switch` on it narrows the type. */
export type WebhookEvent = AnyGroupEvent | AnyCallEvent

/** Name of a known event. */
export type EventName = WebhookEvent['event']

/** An event by name: `WebhookEventOf<'CALL_ENDED'>` is {@link CallEndedEvent}. */
export type WebhookEventOf<Name extends EventName> = Extract<WebhookEvent, { event: Name }>
