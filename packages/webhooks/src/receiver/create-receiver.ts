import { readHeader } from '../headers.ts'
import { type ParsedEvent, parseEvent } from '../parse/parse-event.ts'
import { acceptBody } from './accept.ts'
import { accepted, drifted, refusalOf } from './answers.ts'
import { forAnyEvent, forDrift, forEvents, forUnknown } from './bindings.ts'
import { createDeliver } from './deliver.ts'
import type { DeliveryContext } from './delivery-context.ts'
import { deliveryKey } from './delivery-key.ts'
import type { ReceiverOptions } from './options.ts'
import type { Receiver } from './receiver.ts'
import { createRegistry } from './registry.ts'
import { createReporter } from './reporter.ts'

const toList = <Name extends string>(name: Name | readonly Name[]): readonly Name[] =>
  typeof name === 'string' ? [name] : name

const never = new AbortController().signal

/**
 * Makes a receiver: verify, parse, claim, hand to the handlers, answer. Its `handle` takes a Fetch `Request` and gives
 * a `Response`; for other servers there are adapters.
 *
 * Answers: 200 handled, handled before, or unknown; 400 unreadable; 401 not verified; 405 not POST; 408 body too slow;
 * 409 the same delivery is being handled; 413 body too large; 415 not JSON; 422 drifted and no `onDrift`; 500 a handler
 * threw; 503 the dedupe store is down.
 *
 * @throws RangeError when a limit or a time is not a positive number.
 * @example
 * const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe: memoryDedupe() })
 *   .on('CALL_AI_SUMMARY', async (event) => save(event.callId, event.summary))
 * export const POST = receiver.handle
 */
export const createReceiver = (options: ReceiverOptions): Receiver => {
  const { verify, dedupe, ack = 'after', now = Date.now, handlerTimeoutMs, claimTtlMs = 60_000 } = options
  const limits = { maxBytes: options.maxBodyBytes ?? 1_048_576, timeoutMs: options.bodyTimeoutMs ?? 10_000 }
  const registry = createRegistry(handlerTimeoutMs)
  const reporter = createReporter()
  const deliver = createDeliver({ dedupe, ack, claimTtlMs, report: reporter.report })

  const contextOf = async (request: Request, parsed: ParsedEvent, rawBody: Uint8Array, receivedAt: Date) => {
    const { headers } = request
    const id = readHeader(headers, 'webhook-id')
    const timestamp = readHeader(headers, 'webhook-timestamp')
    const context: DeliveryContext = {
      delivery: { id, key: await deliveryKey(id, parsed, rawBody) },
      attempt: {
        at:
          timestamp !== undefined && /^\d{1,12}$/.test(timestamp)
            ? new Date(Number(timestamp) * 1000)
            : undefined,
        receivedAt,
      },
      rawBody,
      headers,
      recognisedBy: parsed.kind === 'event' ? parsed.recognisedBy : undefined,
      // After an early answer the sender has hung up, and that must not stop the work.
      signal: ack === 'before' ? never : request.signal,
    }
    return context
  }

  const handle: Receiver['handle'] = async (request, host) => {
    const receivedAt = new Date(now())
    let parsed: ParsedEvent
    let rawBody: Uint8Array
    try {
      rawBody = await acceptBody(request, verify, limits)
      parsed = parseEvent(rawBody, { maxBytes: limits.maxBytes })
    } catch (error) {
      await reporter.report(error, { stage: 'request', headers: request.headers, context: undefined })
      return refusalOf(error)
    }
    const tasks = registry.tasksFor(parsed)
    if (parsed.kind === 'drifted' && tasks.length === 0) return drifted(parsed.name, parsed.issues)
    if (tasks.length === 0) return accepted()
    return deliver({ context: await contextOf(request, parsed, rawBody, receivedAt), tasks, host })
  }

  const receiver: Receiver = {
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
