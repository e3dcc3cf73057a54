// A shop with OpenTelemetry's SDK and its instrumentations of undici, http and pg: client, server, and a receiver with an inbox on
// PostgreSQL, in one process. Creates two groups, with the instrumentations only and then with the example, too. Prints the spans
// of each, and the `traceparent` headers of the webhooks. Argument: the database.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const [, , database = ''] = process.argv
const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
// As the NodeSDK does, which depends on every exporter: a seventh of the files of this repository's dependencies.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
trace.setGlobalTracerProvider(provider)
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new PgInstrumentation(), new UndiciInstrumentation()],
})

// The instrumentations change modules that are loaded after them.
const require = createRequire(import.meta.url)
require('node:http')
const pg: typeof import('pg') = require('pg')
const { startServer } = await import('../../server/src/index.ts')
const { createClient } = await import('wabakit')
const { createReceiver, sqlInbox, standardWebhooks } = await import('wabakit/webhooks')
const { toNodeHandler } = await import('wabakit/webhooks/node')
const { traceWabakit } = await import('../../../examples/opentelemetry.ts')
const tracer = trace.getTracer('shop')

const wabaNumber = '+15550100001'
const apiKey = 'wk_test_0123456789'

/** Runs a shop whose inbox has a table of its own. */
const runShop = async (table: string) => {
  const server = await startServer({
    port: 0,
    database: ':memory:',
    logLevel: 'silent',
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }], apiKeys: [{ key: apiKey }] }],
  })
  const secrets: string[] = []
  const pool = new pg.Pool({ connectionString: database })
  const verify = standardWebhooks({ secrets: () => secrets })
  const receiver = createReceiver({ verify, inbox: sqlInbox(pool, { table }) })
  const handled: unknown[] = []
  receiver.on('GROUP_CREATED', async ({ groupId }, { headers, transaction }) => {
    await tracer.startActiveSpan('save the group', async (span) => {
      await (await transaction()).query('SELECT 42 AS saved')
      span.end()
    })
    handled.push([groupId, headers.get('traceparent')])
  })
  const traceparents: unknown[] = []
  const hook = createServer((request, response) => {
    traceparents.push(request.headersDistinct.traceparent)
    void toNodeHandler(receiver)(request, response)
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
  const subscription = { channel: 'WHATSAPP', number: wabaNumber, url, events: 'all' } as const
  secrets.push((await server.service.subscriptions.create('acme', subscription)).secret)
  receiver.start()

  const client = createClient({ baseUrl: server.url, apiKey })
  const groups = ['a', 'b']
  for (const groupId of groups)
    await tracer.startActiveSpan(`checkout ${groupId}`, async (span) => {
      await client.groups.create({ wabaNumber, groupId, subject: `Order ${groupId}` })
      span.end()
    })
  while (handled.length < groups.length) await new Promise((resolve) => setTimeout(resolve, 20))
  await receiver.stop()
  await server.close()
  hook.close()
  await pool.end()

  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    scope: span.instrumentationScope.name.replace('@opentelemetry/instrumentation-', ''),
    traceId: span.spanContext().traceId,
    id: span.spanContext().spanId,
    parent: span.parentSpanContext?.spanId,
  }))
  exporter.reset()
  return { spans, traceparents }
}

const instrumented = await runShop('instrumented')
traceWabakit(trace.getTracer('wabakit'))
const traced = await runShop('traced')
await provider.shutdown()
console.log(JSON.stringify({ instrumented, traced }))
