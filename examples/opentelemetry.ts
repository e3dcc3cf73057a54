import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { CallTrace } from 'wabakit'
import type { DeliveryTrace } from 'wabakit/core'
import type { WebhookTrace } from 'wabakit/webhooks'

const contexts = new AsyncLocalStorage<Context>()

/** Keeps the active span where the channels can set it: a receiver's handler runs inside the span of its webhook. */
export const contextManager: ContextManager = {
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (active, run, self, ...args) => contexts.run(active, () => run.apply(self, args)),
  bind: (active, target) =>
    typeof target === 'function' ? contexts.run(active, () => target.bind(null)) : target,
  enable: () => contextManager,
  disable: () => contextManager,
}

/** Creates spans for a channel's messages, from `start` to the end of the promise. */
const traceChannel = <Message extends object>(
  name: string,
  start: (message: Message) => Span,
  end: (span: Span, message: Message) => void = () => {},
): void => {
  const channel = tracingChannel<Message, Context>(name)
  const spans = new WeakMap<Message, Span>()
  channel.start.bindStore(contexts, (message) => {
    const span = start(message)
    spans.set(message, span)
    return trace.setSpan(context.active(), span)
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

/** Creates a span for each client call, each server attempt, and each received webhook. */
export const traceWabakit = (tracer: Tracer): void => {
  traceChannel<CallTrace>('wabakit.client', ({ endpoint, headers }) => {
    const span = tracer.startSpan(endpoint, { kind: SpanKind.CLIENT })
    propagation.inject(trace.setSpan(context.active(), span), headers)
    return span
  })
  traceChannel<DeliveryTrace>('wabakit.delivery', ({ delivery, headers }) => {
    const parent = propagation.extract(ROOT_CONTEXT, headers)
    const attributes = { 'webhook.id': delivery.webhookId, 'webhook.attempt': delivery.attempts + 1 }
    const span = tracer.startSpan(
      `send ${delivery.eventName}`,
      { kind: SpanKind.PRODUCER, attributes },
      parent,
    )
    propagation.inject(trace.setSpan(parent, span), headers)
    return span
  })
  traceChannel<WebhookTrace>(
    'wabakit.webhook',
    ({ request }) => {
      const parent = propagation.extract(ROOT_CONTEXT, Object.fromEntries(request.headers))
      return tracer.startSpan('receive', { kind: SpanKind.CONSUMER }, parent)
    },
    (span, { eventName, outcome }) => {
      if (eventName !== undefined) span.updateName(`receive ${eventName}`)
      if (outcome !== undefined) span.setAttribute('webhook.outcome', outcome)
    },
  )
}
