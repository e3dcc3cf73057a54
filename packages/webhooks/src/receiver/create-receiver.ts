import { assertFunction } from '../usage.ts'
import type { DeliveryContext } from './delivery-context.ts'
import { createReporter } from './failures.ts'
import {
  type Binding,
  bindKind,
  bindNames,
  createHandlers,
  type HandlerOptions,
  type Handlers,
} from './handlers.ts'
import { type ReceiverOptions, type ReceiverSettings, toSettings } from './options.ts'
import { createReceive } from './receive.ts'
import type { Receiver, ReceiverMethods } from './receiver.ts'
import { createRunning } from './running.ts'

/**
 * Creates a receiver, which verifies and parses webhooks and calls your handlers with typed events. Its `handle` takes
 * a Fetch `Request` and returns a `Response`; there are adapters for other servers.
 *
 * Responses: 200 handled, handled before, or no handler; 400 unreadable; 401 not verified; 405 not a POST; 408 body too
 * slow; 409 the same delivery is being handled; 413 body too large; 415 not JSON; 422 drifted and no `onDrift`; 500 a
 * handler threw; 503 the dedupe store failed, no secret is valid, or too many bodies of more than 64 KiB are being
 * read. With an inbox: 200 stored, and 503 not stored.
 *
 * @throws WebhookUsageError for a missing, unknown or impossible option, and for the unknown name of an event.
 * @throws RangeError when a limit or a time is not above 0.
 * @example
 * const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe: memoryDedupe() })
 *   .on('CALL_AI_SUMMARY', async (event) => save(event.callId, event.summary))
 * export const POST = receiver.handle
 */
export const createReceiver = <Context = DeliveryContext>(
  options: ReceiverOptions<Context>,
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
    onAny: (handler, handlerOptions) => {
      assertFunction('The handler', handler)
      const bind = bindKind('event', ({ event }, context: Context) => handler(event, context))
      return add(bind, handlerOptions)
    },
    onUnknown: (handler, handlerOptions) => add(bindKind('unknown', handler), handlerOptions),
    onDrift: (handler, handlerOptions) => add(bindKind('drifted', handler), handlerOptions),
    onError: (listener) => {
      assertFunction('The listener', listener)
      reporter.add(listener)
      return receiver
    },
    subscribe: (name, handler, handlerOptions) => handlers.add(bindNames(name, handler), handlerOptions),
    stop: running.stop,
    // Without an inbox, the context of handlers is that of the delivery.
    handle: createReceive(settings as ReceiverSettings, {
      handlers: handlers as unknown as Handlers<DeliveryContext>,
      running,
      report,
      store: inbox?.store,
    }),
  }
  // The methods of an inbox exist if there is one.
  const receiver = { ...methods, ...inbox?.methods } as Receiver<Context>
  return receiver
}
