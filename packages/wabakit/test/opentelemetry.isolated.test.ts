import { subscribe } from 'node:diagnostics_channel'
import { context, propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createReferenceServer } from '@wabakit/core'
import { expect, it } from 'vitest'
import { createClient } from 'wabakit'
import { createReceiver, standardWebhooks, type WebhookTrace } from 'wabakit/webhooks'
import { contextManager, traceWabakit } from '../../../examples/opentelemetry.ts'

const apiKey = 'wk_test_0123456789'
const wabaNumber = '+15550100001'

const createService = async () => {
  const secrets: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: () => secrets }) })
  const server = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }], apiKeys: [{ key: apiKey }] }],
    fetch: (url, request) =>
      receiver.handle(new Request(url, { ...request, headers: { ...request.headers } })),
  })
  const subscription = {
    channel: 'WHATSAPP',
    number: wabaNumber,
    url: 'https://receiver.example/',
    events: 'all',
  } as const
  secrets.push((await server.subscriptions.create('acme', subscription)).secret)
  const client = createClient({
    baseUrl: 'https://api.example.com',
    apiKey,
    fetch: (url, init) => server.fetch(new Request(url, init)),
  })
  return { client, receiver, server }
}

it('carries the traceparent of a request to the webhook, without any subscriber', async () => {
  const { client, receiver, server } = await createService()
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const seen: (string | null)[] = []
  receiver.onAny((_, { headers }) => seen.push(headers.get('traceparent')))
  await client.groups.create({ wabaNumber, subject: 'Order 7' }, { headers: { traceparent } })
  await client.groups.create({ wabaNumber, subject: 'Order 8' }, { headers: { traceparent: 'a; b' } })
  await server.dispatcher.runDue()
  expect(seen).toEqual([traceparent, null])
})

it('shows one trace from groups.create to the handler of the webhook', async () => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('wabakit')
  context.setGlobalContextManager(contextManager)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  traceWabakit(tracer)
  const outcomes: unknown[] = []
  subscribe('tracing:wabakit.webhook:asyncEnd', (message) => {
    const { eventName, outcome } = message as WebhookTrace
    outcomes.push([eventName, outcome])
  })

  const { client, receiver, server } = await createService()
  receiver.on('GROUP_CREATED', async () => {
    await Promise.resolve()
    tracer.startSpan('save the group').end()
  })
  await client.groups.create({ wabaNumber, subject: 'Order 7' })
  await server.dispatcher.runDue()

  await provider.forceFlush()
  const spans = exporter.getFinishedSpans()
  const byName = new Map(spans.map((span) => [span.name, span]))
  const getParent = (name: string) =>
    spans.find((span) => span.spanContext().spanId === byName.get(name)?.parentSpanContext?.spanId)?.name
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
  expect(getParent('save the group')).toBe('receive GROUP_CREATED')
  expect(getParent('receive GROUP_CREATED')).toBe('send GROUP_CREATED')
  expect(getParent('send GROUP_CREATED')).toBe('groups.create')
  expect(getParent('groups.create')).toBe(undefined)
  expect(outcomes).toEqual([['GROUP_CREATED', 'handled']])
  trace.disable()
})
