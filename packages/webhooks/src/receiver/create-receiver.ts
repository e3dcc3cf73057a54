import { type EventName, eventNames, type WebhookEvent, type WebhookEventOf } from '@wabakit/wire'
import type { DriftedEvent, UnknownEvent } from '../parse/parse-event.ts'
import { assertFunction } from '../usage.ts'
import { createReporter, type ErrorListener } from './failures.ts'
import {
  type Binding,
  bindKind,
  bindNames,
  createHandlers,
  type DeliveryContext,
  type HandlerOptions,
  type Handlers,
  type WebhookHandler,
} from './handlers.ts'
import type { InboxMethods } from './inbox.ts'
import { type AcceptOnlyOptions, type ReceiverOptions, type ReceiverSettings, toSettings } from './options.ts'
import type { RequestHolder } from './read-request.ts'
import { createReceive } from './receive.ts'
import { createRunning, type StopOptions } from './running.ts'

/** Turns webhook requests into calls to typed handlers. With an inbox, it also has the {@link InboxMethods}. */
export type Receiver<Context = DeliveryContext> = ReceiverMethods<Context> &
  (Context extends { readonly transaction: unknown } ? InboxMethods : unknown)

/** The methods of every receiver. */
export type ReceiverMethods<Context> = {
  /**
   * Calls `handler` with every event of this name, or of one of these names, that matches its contract. The handlers of one
   * event run concurrently. If one handler fails, the sender gets a 500, and its next attempt calls all handlers again. With an
   * inbox, the inbox makes the next attempt. With `ack: 'before'`, there is none.
   */
  on<Name extends EventName>(
    name: Name | readonly Name[],
    handler: WebhookHandler<WebhookEventOf<Name>, Context>,
    options?: HandlerOptions,
  ): Receiver<Context>
  /** Calls `handler` with every known event that matches its contract. */
  onAny(handler: WebhookHandler<WebhookEvent, Context>, options?: HandlerOptions): Receiver<Context>
  /**
   * Calls `handler` with events that this version does not know. By default, they are ignored (200). With an inbox, they
   * are parked, or discarded if its option `unhandled` is `discard`.
   */
  onUnknown(handler: WebhookHandler<UnknownEvent, Context>, options?: HandlerOptions): Receiver<Context>
  /**
   * Calls `handler` with known events that do not match their contract. By default, they are rejected (422),
   * or parked in an inbox.
   */
  onDrift(handler: WebhookHandler<DriftedEvent, Context>, options?: HandlerOptions): Receiver<Context>
  /**
   * Calls `listener` with every error of a request that reaches the receiver, including those of rejected requests, and of
   * stored events. Adapters reject requests that Fetch cannot represent without calling it.
   */
  onError(listener: ErrorListener): Receiver<Context>
  /**
   * Registers a handler as `on` does.
   *
   * @returns a function that unsubscribes.
   */
  subscribe<Name extends EventName>(
    name: Name | readonly Name[],
    handler: WebhookHandler<WebhookEventOf<Name>, Context>,
    options?: HandlerOptions,
  ): () => void
  /**
   * Waits for the handlers of deliveries that were acknowledged early. Call it before the process ends, after
   * the server has stopped listening. A delivery that arrives later is acknowledged after it is handled. With
   * an inbox, `stop` claims no more entries, waits for the handlers of those that are claimed, and returns connections to the
   * pool. Entries whose handlers do not end are left to other processes.
   *
   * @throws RangeError when `maxMs` is not above 0.
   */
  stop(options?: StopOptions): Promise<void>
  /**
   * Responds to one request. Never rejects. The function does not need `this`: `export const POST = receiver.handle`.
   * It also accepts the object with the request that SvelteKit, React Router, Astro, Cloudflare Pages, Hono, Elysia and h3
   * pass to a route. If it finds no request, it responds with 500 and reports a {@link WebhookUsageError}.
   *
   * @param host - the object that the platform passes along with a request. The receiver calls its `waitUntil`, which keeps the
   *   platform running until the handlers finish. Without the option `waitUntil`, it also finds one in the object's
   *   `executionCtx`, like that of Hono's context. With an inbox, it calls none. Defaults to the first argument.
   */
  handle(holder: RequestHolder, host?: object): Promise<Response>
  // This overload is last, because Next.js checks only the last one, whose first parameter must be a `Request`.
  handle(request: Request, host?: object): Promise<Response>
}

/**
 * Creates a receiver, which verifies and parses webhooks and calls your handlers with typed events. Its `handle` takes
 * a Fetch `Request` and returns a `Response`; there are adapters for other servers.
 *
 * Responses: 200 handled, handled before, or no handler; 400 unreadable; 401 not verified; 405 not a POST; 408 body too
 * slow; 409 the same delivery is being handled; 413 body too large; 415 not JSON, or compressed; 422 drifted and no
 * `onDrift`; 500 a handler failed; 503 the dedupe store failed, a secret is missing or invalid, or too many bodies of more than 64 KiB
 * are being read. With an inbox: 200 stored, and 503 not stored.
 *
 * @throws WebhookUsageError for a missing, unknown or invalid option. Methods that register a function also throw it, for an
 *   unknown event name or option, or a value that is not a function.
 * @throws RangeError when a limit or a time is not above 0.
 * @example
 * const receiver = createReceiver({ verify: urlToken({ token }), inbox: sqlInbox(pool) })
 *   .on('CALL_AI_SUMMARY', async (event) => save(event.callId, event.summary))
 * receiver.start()
 * export const POST = receiver.handle
 */
export const createReceiver = <Context = DeliveryContext>(
  options: ReceiverOptions<Context> | AcceptOnlyOptions<Context>,
): Receiver<Context> => {
  const settings = toSettings(options)
  const handlers = createHandlers<Context>(settings.handlerTimeoutMs)
  const reporter = createReporter(settings.now)
  const running = createRunning(settings.ack, settings.waitUntil)
  const { report } = reporter
  const inbox = settings.inbox?.attach({ ...settings, handlers, report })

  const add = (bind: Binding<Context>, handlerOptions?: HandlerOptions): Receiver<Context> => {
    handlers.add(bind, handlerOptions)
    return receiver
  }

  const methods: ReceiverMethods<Context> = {
    on: (name, handler, handlerOptions) => add(bindNames(name, handler), handlerOptions),
    onAny: (handler, handlerOptions) => add(bindNames(eventNames, handler), handlerOptions),
    onUnknown: (handler, handlerOptions) => add(bindKind('unknown', handler), handlerOptions),
    onDrift: (handler, handlerOptions) => add(bindKind('drifted', handler), handlerOptions),
    onError: (listener) => {
      assertFunction('The listener', listener)
      reporter.add(listener)
      return receiver
    },
    subscribe: (name, handler, handlerOptions) => handlers.add(bindNames(name, handler), handlerOptions),
    stop: running.stop,
    // With an inbox, this only stores deliveries, and calls no handler. Without one, handlers get a `DeliveryContext`.
    handle: createReceive(settings as ReceiverSettings, {
      handlers: handlers as unknown as Handlers<DeliveryContext>,
      running,
      report,
      store: inbox?.store,
    }),
  }
  // With an inbox, the receiver also has the methods of the inbox.
  const receiver = { ...methods, ...inbox?.methods } as Receiver<Context>
  return receiver
}
