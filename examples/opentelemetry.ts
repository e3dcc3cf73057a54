import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { suppressTracing, unsuppressTracing } from '@opentelemetry/core'
import type { CallTrace } from 'wabakit'
import type { DeliveryTrace } from 'wabakit/core'
import type { InboxTrace, WebhookTrace } from 'wabakit/webhooks'

const contexts = new AsyncLocalStorage<Context>()

/** Keeps the active span where the channels can set it: a receiver's handler runs inside the span of its webhook. */
const contextManager = Object.assign(new AsyncLocalStorageContextManager(), {
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: <Args extends unknown[], Result>(
    active: Context,
    run: (...args: Args) => Result,
    self?: unknown,
    ...args: Args
  ): Result => contexts.run(active, () => run.apply(self, args)),
})

type Started = {
  readonly span: Span
  /** The context of the work. */
  readonly active: Context
}

/** Creates spans for a channel's messages, from `start` to the end of the promise. */
const traceChannel = <Message extends object>(
  name: string,
  start: (message: Message) => Started,
  end: (span: Span, message: Message) => void = () => {},
): void => {
  const channel = tracingChannel<Message, Context>(name)
  const spans = new WeakMap<Message, Span>()
  channel.start.bindStore(contexts, (message) => {
    const { span, active } = start(message)
    spans.set(message, span)
    return active
  })
  channel.subscribe({
    start: () => {},
    end: () => {},
    asyncStart: () => {},
    asyncEnd: (message) => {
      const span = spans.get(message)
      if (span === undefined) return
      end(span, message)
      span.end()
    },
    error: (message) => void spans.get(message)?.setStatus({ code: SpanStatusCode.ERROR }),
  })
}

/** Starts the span of a request, and puts it into the request's headers. */
const startRequest = (span: Span, parent: Context, headers: Record<string, string>): Started => {
  const active = trace.setSpan(parent, span)
  propagation.inject(active, headers)
  // The instrumentation of the HTTP client would add a second `traceparent`, and receivers ignore two.
  return { span, active: suppressTracing(active) }
}

const extract = (headers: Headers): Context => propagation.extract(ROOT_CONTEXT, Object.fromEntries(headers))

/**
 * Creates a span for each client call, each attempt of a server, each received webhook, and each attempt of an inbox. Call it
 * once, after the SDK has started. Replaces the SDK's context manager.
 */
export const traceWabakit = (tracer: Tracer): void => {
  context.disable()
  context.setGlobalContextManager(contextManager)

  traceChannel<CallTrace>('wabakit.client', ({ endpoint, headers }) => {
    const parent = context.active()
    return startRequest(tracer.startSpan(endpoint, { kind: SpanKind.CLIENT }, parent), parent, headers)
  })

  traceChannel<DeliveryTrace>('wabakit.delivery', ({ delivery, headers }) => {
    const parent = propagation.extract(ROOT_CONTEXT, headers)
    const attributes = { 'webhook.id': delivery.webhookId, 'webhook.attempt': delivery.attempts + 1 }
    const options = { kind: SpanKind.PRODUCER, attributes }
    return startRequest(tracer.startSpan(`send ${delivery.eventName}`, options, parent), parent, headers)
  })

  /** Creates the span of a webhook or a stored event. */
  const startConsumer = (name: string, parent: Context): Started => {
    const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER }, parent)
    return { span, active: trace.setSpan(parent, span) }
  }

  traceChannel<WebhookTrace>(
    'wabakit.webhook',
    ({ request }) => {
      // The span of the web server, if it is traced, is already in the trace of the request.
      const active = unsuppressTracing(context.active())
      return startConsumer('receive', trace.getSpan(active) ? active : extract(request.headers))
    },
    (span, { eventName, outcome }) => {
      if (eventName !== undefined) span.updateName(`receive ${eventName}`)
      if (outcome !== undefined) span.setAttribute('webhook.outcome', outcome)
    },
  )

  // An inbox handles an event after its request, and perhaps in another process.
  traceChannel<InboxTrace>(
    'wabakit.inbox',
    ({ headers, eventName }) => startConsumer(`handle ${eventName ?? 'event'}`, extract(headers)),
    (span, { outcome }) => {
      if (outcome !== undefined) span.setAttribute('webhook.outcome', outcome)
    },
  )
}
