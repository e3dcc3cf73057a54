import { execFile } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { context, propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createReferenceServer } from '@wabakit/core'
import { beforeAll, expect, it } from 'vitest'
import { createClient } from 'wabakit'
import { createReceiver, standardWebhooks, type WebhookTrace } from 'wabakit/webhooks'
import { traceWabakit } from '../../../examples/opentelemetry.ts'
import { createPostgresDatabase } from '../../server/test/shared-cluster.ts'

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
  context.disable()
})

type Span = { readonly name: string; readonly scope: string; readonly id: string; readonly parent?: string }
type Traced = {
  readonly spans: readonly (Span & { readonly traceId: string })[]
  /** The values of `traceparent` of each webhook. */
  readonly traceparents: readonly (readonly string[])[]
}

/** The shops of traced-process.ts, with and without the spans of the example. */
let shop: Readonly<Record<'instrumented' | 'traced', Traced>>
beforeAll(async () => {
  const script = join(import.meta.dirname, 'traced-process.ts')
  const args = ['--conditions=@wabakit/source', script, await createPostgresDatabase()]
  shop = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
})

/** Lists the names of a span and of its ancestors. */
const listAncestors = ({ spans }: Traced, span: Span | undefined): string[] =>
  span === undefined
    ? []
    : [
        span.name,
        ...listAncestors(
          { spans, traceparents: [] },
          spans.find(({ id }) => id === span.parent),
        ),
      ]

/** The webhooks of two groups are sent at the same time, so spans may have any order. */
const listSorted = (traced: Traced, spans: readonly Span[]): string[][] =>
  spans.map((span) => listAncestors(traced, span)).sort()

const shops = ['a', 'b'].map((groupId) => `checkout ${groupId}`)

it("shows one trace from groups.create to the handler of an inbox, next to the SDK's instrumentations", () => {
  const { traced } = shop
  const saved = traced.spans.filter(({ name }) => name === 'save the group')
  expect(listSorted(traced, saved)).toEqual(
    shops.map((shop) => [
      'save the group',
      'handle GROUP_CREATED',
      'send GROUP_CREATED',
      'groups.create',
      shop,
    ]),
  )
  const query = traced.spans.find(({ parent, name }) => parent === saved[0]?.id && name.includes('SELECT'))
  expect(query, 'the query of the handler').toBeDefined()
  const received = traced.spans.filter(({ name }) => name.startsWith('receive'))
  expect(listSorted(traced, received)).toEqual(
    shops.map((shop) => ['receive', 'POST', 'send GROUP_CREATED', 'groups.create', shop]),
  )
  const others = traced.spans.filter(({ scope }) => scope !== 'pg')
  expect(new Set(others.map(({ traceId }) => traceId)).size).toBe(shops.length)
  expect(traced.traceparents.map((values) => values.length)).toEqual([1, 1])
})

it("sends one traceparent next to the SDK's instrumentations, that of the request", () => {
  const { spans, traceparents } = shop.instrumented
  const traceIds = shops.map((shop) => [spans.find(({ name }) => name === shop)?.traceId])
  const sent = traceparents.map((values) => values.map((value) => value.split('-')[1]))
  expect(sent.sort()).toEqual(traceIds.sort())
})
