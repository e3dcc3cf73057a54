import { tracingChannel } from 'node:diagnostics_channel'
import type { CallTrace } from '@wabakit/client'
import { expect, it, onTestFinished } from 'vitest'
import { createTestClock } from './clock.ts'
import { createTestClient, getRejection, group, summary } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

/** Records the traces of calls, and adds a header when each starts. */
const recordTraces = () => {
  const traces: (readonly [event: string, trace: CallTrace])[] = []
  const channel = tracingChannel<CallTrace, CallTrace>('wabakit.client')
  const record = (event: string) => (trace: CallTrace) => void traces.push([event, { ...trace }])
  const handlers = {
    start: (trace: CallTrace) => {
      record('start')(trace)
      trace.headers.traceparent = '00-1'
    },
    end: () => {},
    asyncStart: () => {},
    asyncEnd: record('end'),
    error: () => {},
  }
  channel.subscribe(handlers)
  onTestFinished(() => void channel.unsubscribe(handlers))
  return traces
}

it('traces a call with all its attempts, which send the headers that a subscriber adds', async () => {
  const traces = recordTraces()
  const service = await startService((response, _, number) =>
    sendJson(response, number === 1 ? 503 : 200, { callId: 'c', summary }),
  )
  const client = createTestClient(service.url, { clock: createTestClock() })
  const headers = { 'x-shop': 'one' }
  const { data, response } = await client.calls.getSummary('c', { headers }).withResponse()

  const call = { endpoint: 'calls.getSummary', method: 'GET', path: '/v1/call/ai-summary?callId=c' }
  expect(traces).toMatchObject([
    ['start', { ...call, headers: { 'x-shop': 'one' } }],
    ['end', { ...call, result: { data, response } }],
  ])
  expect(data).toMatchObject({ summary })
  expect(service.requests).toHaveLength(2)
  for (const request of service.requests) {
    expect(request.headers).toMatchObject({ 'x-shop': 'one', traceparent: '00-1' })
  }
  expect(headers).toEqual({ 'x-shop': 'one' })
})

it('traces a call that fails, with its error', async () => {
  const traces = recordTraces()
  const service = await startService((response) => sendJson(response, 400, {}))
  const error = await getRejection(createTestClient(service.url).groups.create(group))

  const call = { endpoint: 'groups.create', method: 'POST', path: '/whatsapp/wa-group/create' }
  expect(traces).toMatchObject([
    ['start', call],
    ['end', { ...call, error }],
  ])
})
