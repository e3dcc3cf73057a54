import type { EventName } from '@wabakit/wire'
import type { DeliveryContext } from './delivery-context.ts'

/** The message on the tracing channel `wabakit.webhook`: one received request, from its headers to its response. */
export type WebhookTrace = {
  /** The request. Its headers may have a `traceparent`. */
  readonly request: Request
  /** The name of the event, once it is verified and known. */
  eventName?: EventName | undefined
  /** The delivery, once it is verified and a handler takes it. */
  delivery?: DeliveryContext['delivery']
  /**
   * The outcome: `handled`, `duplicate`, `in_progress`, `failed` (a handler), `unavailable` (the dedupe store),
   * `ignored` (no handler takes it), `stored` (in the inbox), or `rejected`.
   */
  outcome?:
    | 'handled'
    | 'duplicate'
    | 'in_progress'
    | 'failed'
    | 'unavailable'
    | 'ignored'
    | 'stored'
    | 'rejected'
  /** The response: set at the end. */
  result?: unknown
}
