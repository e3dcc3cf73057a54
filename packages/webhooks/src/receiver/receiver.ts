import type { EventName, WebhookEvent } from '@wabakit/wire'
import type { DriftedEvent, UnknownEvent } from '../parse/parse-event.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { ErrorListener } from './failures.ts'
import type { HandlerOptions, NamedEvent, WebhookHandler } from './handlers.ts'
import type { InboxMethods } from './inbox.ts'
import type { RequestHolder } from './read-request.ts'
import type { StopOptions } from './running.ts'

/**
 * Turns webhook requests into calls to typed handlers. With an inbox, it has the methods of {@link InboxMethods}, too.
 */
export type Receiver<Context = DeliveryContext> = ReceiverMethods<Context> &
  (Context extends { readonly transaction: unknown } ? InboxMethods : unknown)

/** The methods of every receiver. */
export type ReceiverMethods<Context> = {
  /**
   * Calls `handler` with every event that has this name, or one of these names. The handlers of one event run
   * concurrently. If one of them fails, the sender gets a 500, and its next attempt calls all of them again. With an
   * inbox, the inbox makes the next attempt.
   */
  on<Name extends EventName>(
    name: Name | readonly Name[],
    handler: WebhookHandler<NamedEvent<Name>, Context>,
    options?: HandlerOptions,
  ): Receiver<Context>
  /** Calls `handler` with every known event that matches its contract. */
  onAny(handler: WebhookHandler<WebhookEvent, Context>, options?: HandlerOptions): Receiver<Context>
  /**
   * Calls `handler` with every event that this version does not know. By default, such events are ignored (200), or
   * parked in the inbox.
   */
  onUnknown(handler: WebhookHandler<UnknownEvent, Context>, options?: HandlerOptions): Receiver<Context>
  /**
   * Calls `handler` with every known event that does not match its contract. By default, such events are rejected
   * (422), or parked in the inbox.
   */
  onDrift(handler: WebhookHandler<DriftedEvent, Context>, options?: HandlerOptions): Receiver<Context>
  /** Calls `listener` with every error, including those of rejected requests. */
  onError(listener: ErrorListener): Receiver<Context>
  /**
   * Registers a handler as `on` does.
   *
   * @returns a function that unsubscribes.
   */
  subscribe<Name extends EventName>(
    name: Name | readonly Name[],
    handler: WebhookHandler<NamedEvent<Name>, Context>,
    options?: HandlerOptions,
  ): () => void
  /**
   * Waits for the handlers of deliveries that were acknowledged early. Call it before the process ends, after the
   * server has stopped listening. A delivery that arrives later is acknowledged after it is handled. With an inbox:
   * starts no more handlers, waits for running ones, and returns connections to the pool. Entries whose handlers do not
   * end are left to other processes.
   *
   * @throws RangeError when `maxMs` is not above 0.
   */
  stop(options?: StopOptions): Promise<void>
  /**
   * Responds to one request. Never rejects. It can be used without its receiver: `export const POST = receiver.handle`.
   * It also accepts the object that SvelteKit, React Router, Astro, Cloudflare Pages, Hono and h3 2 pass to a route,
   * and that contains the request. To any other argument, it responds 500 and reports a {@link WebhookUsageError}.
   *
   * @param host - the object that the platform passes along with a request. If it has a `waitUntil`, or an
   *   `executionCtx` with one as in Hono's context, the host is kept running while handlers run. By default, this is
   *   the first argument.
   */
  handle(holder: RequestHolder, host?: object): Promise<Response>
  // The last overload, because Next.js checks only the last: its routes must accept nothing but a Request.
  handle(request: Request, host?: object): Promise<Response>
}
