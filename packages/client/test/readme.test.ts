import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FetchInit, Hooks, SummaryEvents } from '@wabakit/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection, group, summary } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService } from './loopback.ts'
import type { Tracer } from './readme/tracing.ts'

const files = ['create.ts', 'summary.ts', 'request.ts', 'failures.ts', 'auth.ts', 'tracing.ts']

let printed: string[] = []
beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((...values) => void printed.push(values.join(' ')))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.resetModules()
})

it('each README snippet is identical to a file that runs here', () => {
  const blocks = takeBlocks(import.meta.filename).map(({ code }) => code)
  expect(blocks).toEqual(files.map((file) => readFileSync(join(import.meta.dirname, 'readme', file), 'utf8')))
})

it('the first snippets create a group and print a summary', async () => {
  const service = await startService((response, request) =>
    sendJson(
      response,
      200,
      request.method === 'POST' ? { success: true, groupId: 'order-1042' } : { callId: 'c', summary },
    ),
  )
  vi.stubEnv('WABAKIT_BASE_URL', service.url)
  vi.stubEnv('WABAKIT_API_KEY', 'secret-key')
  const { printSummary } = await import('./readme/summary.ts')
  const receiver: SummaryEvents = { subscribe: () => () => {} }
  await printSummary('c', receiver)
  expect(printed).toEqual(['created order-1042', 'They agreed. send the offer'])
})

it('the snippet on other endpoints asks for a group', async () => {
  const service = await startService((response, request) =>
    sendJson(response, 200, request.method === 'POST' ? { groupId: 'g' } : { url: request.url }),
  )
  vi.stubEnv('WABAKIT_BASE_URL', service.url)
  vi.stubEnv('WABAKIT_API_KEY', 'secret-key')
  const { findGroup } = await import('./readme/request.ts')
  expect(await findGroup('a&b')).toEqual({ url: '/whatsapp/wa-group/info?groupId=a%26b' })
})

it('the snippet on errors handles each kind', async () => {
  const { getAdviceFor } = await import('./readme/failures.ts')
  const service = await startService((response, _, number) => {
    const headers = { 'retry-after': '9', 'x-request-id': 'req_1' }
    if (number === 1) return response.destroy()
    sendJson(response, number === 2 ? 429 : 401, { code: 'invalid_api_key' }, headers)
  })
  // Modules are reloaded for each test, so this is the snippet's copy of the package.
  const { createClient } = await import('wabakit')
  const { groups } = createClient({ baseUrl: service.url, apiKey, retry: { limit: 0 } })
  const input = { ...group, groupId: 'order-7' }
  const getAdvice = async (promise: Promise<unknown>) => getAdviceFor(await getRejection(promise))
  expect(await getAdvice(groups.create({ ...group, subject: '' }))).toBe('subject must not be empty')
  expect(await getAdvice(groups.create(input))).toBe('wait for GROUP_CREATED of order-7')
  expect(await getAdvice(groups.create(input))).toBe('retry in 9000 ms')
  expect(await getAdvice(groups.create(input))).toBe('401 invalid_api_key, ask about req_1')
})

it('the snippet on keys sends the key in three ways', async () => {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { headers }: FetchInit) => {
    sent.push(headers.authorization ?? headers['x-public-api-key'])
    return Response.json({ callId: 'c', summary })
  })
  const { clients } = await import('./readme/auth.ts')
  for (const client of clients) await client.calls.getSummary('c')
  expect(sent).toEqual(['Bearer sk_live_1042', 'sk_live_1042', expect.stringMatching(/^sk_live_\d+$/)])
})

const createRecordingTracer = () => {
  const spans: { name: string; attributes: Record<string, unknown>; status?: number; ended: number }[] = []
  const tracer: Tracer = {
    startSpan: (name, { attributes }) => {
      const span: (typeof spans)[number] = { name, attributes: { ...attributes }, ended: 0 }
      spans.push(span)
      return {
        setAttribute: (key, value) => {
          span.attributes[key] = value
        },
        setStatus: ({ code }) => {
          span.status = code
        },
        end: () => {
          span.ended += 1
        },
      }
    },
  }
  return { tracer, spans }
}

it('the snippet on tracing ends one span per attempt, with or without a response', async () => {
  const { createTracingHooks } = await import('./readme/tracing.ts')
  const { tracer, spans } = createRecordingTracer()
  const hooks: Hooks = createTracingHooks(tracer)
  const service = await startService((response, _, number) =>
    sendJson(
      response,
      number === 1 ? 503 : 200,
      { callId: 'c', summary },
      { 'x-request-id': `req_${number}` },
    ),
  )
  await createTestClient(service.url, { hooks, clock: createTestClock() }).calls.getSummary('c')
  await getRejection(
    createTestClient(await getRefusedUrl(), { hooks, retry: { limit: 0 } }).calls.getSummary('c'),
  )
  expect(spans).toMatchObject([
    {
      name: 'GET calls.getSummary',
      attributes: {
        'url.full': `${service.url}/v1/call/ai-summary?callId=c`,
        'server.address': '127.0.0.1',
        'http.request.resend_count': 0,
        'http.response.status_code': 503,
        'http.response.header.x-request-id': 'req_1',
      },
      status: 2,
      ended: 1,
    },
    { attributes: { 'http.request.resend_count': 1, 'http.response.status_code': 200 }, ended: 1 },
    { attributes: { 'error.type': 'ConnectionError' }, status: 2, ended: 1 },
  ])
})
