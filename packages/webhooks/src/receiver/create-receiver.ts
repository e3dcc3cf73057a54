import { WebhookDriftError } from '../errors/webhook-drift-error.ts'
import type { ParsedEvent } from '../parse/parse-event.ts'
import { acceptRequest } from './accept.ts'
import { accepted, refusalOf } from './answers.ts'
import { forAnyEvent, forDrift, forEvents, forUnknown } from './bindings.ts'
import { createDeliver, type Delivery } from './deliver.ts'
import { contextOf } from './delivery-context.ts'
import { type ReceiverOptions, settingsOf } from './options.ts'
import type { Receiver } from './receiver.ts'
import { createRegistry } from './registry.ts'
import { createReporter } from './reporter.ts'

const toList = <Name extends string>(name: Name | readonly Name[]): readonly Name[] =>
  typeof name === 'string' ? [name] : name

/** The answer to an event that no handler is for. */
const unhandled = (parsed: ParsedEvent): Response => {
  if (parsed.kind === 'drifted') throw new WebhookDriftError(parsed.name, parsed.issues)
  return accepted()
}

/**
 * Makes a receiver: verify, parse, claim, hand to the handlers, answer. Its `handle` takes a Fetch `Request` and gives
 * a `Response`; for other servers there are adapters.
 *
 * Answers: 200 handled, handled before, or unknown; 400 unreadable; 401 not verified; 405 not POST; 408 body too slow;
 * 409 the same delivery is being handled; 413 body too large; 415 not JSON; 422 drifted and no `onDrift`; 500 a handler
 * threw; 503 the dedupe store is down.
 *
 * @throws TypeError when `verify` is missing, or when an inbox is to be used after an early response.
 * @throws RangeError when a limit or a time is not above 0.
 * @example
 * const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe: memoryDedupe() })
 *   .on('CALL_AI_SUMMARY', async (event) => save(event.callId, event.summary))
 * export const POST = receiver.handle
 */
export const createReceiver = <Transaction = undefined>(
  options: ReceiverOptions<Transaction>,
): Receiver<Transaction> => {
  const settings = settingsOf(options)
  const registry = createRegistry<Transaction>(settings.handlerTimeoutMs)
  const reporter = createReporter()
  const deliver = createDeliver(settings, reporter.report)

  const handle: Receiver<Transaction>['handle'] = async (request, host) => {
    const { headers } = request
    const receivedAt = new Date(settings.now())
    let delivery: Delivery<Transaction>
    try {
      const body = await acceptRequest(request, settings)
      const tasks = registry.tasksFor(body.parsed)
      if (tasks.length === 0) return unhandled(body.parsed)
      // After an early answer the sender has hung up, and that must not stop the work.
      const signal = settings.ack === 'before' ? new AbortController().signal : request.signal
      delivery = { context: await contextOf({ ...body, headers, receivedAt, signal }), tasks, host }
    } catch (error) {
      await reporter.report(error, { stage: 'request', headers, context: undefined })
      return refusalOf(error)
    }
    return deliver(delivery)
  }

  const receiver: Receiver<Transaction> = {
    on: (name, handler, handlerOptions) => {
      registry.add(forEvents(toList(name), handler), handlerOptions)
      return receiver
    },
    onAny: (handler, handlerOptions) => {
      registry.add(forAnyEvent(handler), handlerOptions)
      return receiver
    },
    onUnknown: (handler, handlerOptions) => {
      registry.add(forUnknown(handler), handlerOptions)
      return receiver
    },
    onDrift: (handler, handlerOptions) => {
      registry.add(forDrift(handler), handlerOptions)
      return receiver
    },
    onError: (listener) => {
      reporter.add(listener)
      return receiver
    },
    subscribe: (name, handler, handlerOptions) =>
      registry.add(forEvents(toList(name), handler), handlerOptions),
    handle,
  }
  return receiver
}
