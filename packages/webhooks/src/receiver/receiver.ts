import type { EventName, WebhookEvent } from '@wabakit/contract'
import type { DriftedEvent, UnknownEvent } from '../parse/parse-event.ts'
import type { NamedEvent, WebhookHandler } from './bindings.ts'
import type { ErrorListener } from './failure.ts'
import type { HandlerOptions } from './registry.ts'

/** Turns webhook requests into calls of typed handlers. */
export type Receiver<Transaction = undefined> = {
  /**
   * Calls `handler` with every event of this name, or of these names. Handlers of one event run side by side; the
   * sender gets its 200 when all have succeeded, and otherwise sends the event to all of them again.
   */
  on<Name extends EventName>(
    name: Name | readonly Name[],
    handler: WebhookHandler<NamedEvent<Name>, Transaction>,
    options?: HandlerOptions,
  ): Receiver<Transaction>
  /** Calls `handler` with every known event that fits its contract. */
  onAny(handler: WebhookHandler<WebhookEvent, Transaction>, options?: HandlerOptions): Receiver<Transaction>
  /** Calls `handler` with every event that this version does not know; without one they are ignored (200). */
  onUnknown(
    handler: WebhookHandler<UnknownEvent, Transaction>,
    options?: HandlerOptions,
  ): Receiver<Transaction>
  /** Calls `handler` with every known event that does not fit its contract; without one they are refused (422). */
  onDrift(handler: WebhookHandler<DriftedEvent, Transaction>, options?: HandlerOptions): Receiver<Transaction>
  /** Calls `listener` with whatever is refused or fails. */
  onError(listener: ErrorListener): Receiver<Transaction>
  /** Like `on`; the function that it returns undoes it. */
  subscribe<Name extends EventName>(
    name: Name | readonly Name[],
    handler: WebhookHandler<NamedEvent<Name>, Transaction>,
    options?: HandlerOptions,
  ): () => void
  /**
   * Answers one request. It never rejects, and can be passed on by itself: `export const POST = receiver.handle`.
   *
   * @param host - what the platform passes along with a request; its `waitUntil`, if any, keeps work alive that goes
   *   on after the answer.
   */
  handle(request: Request, host?: object): Promise<Response>
}
