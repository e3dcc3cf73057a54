import { ResponseFormatError, ValidationError } from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClient, getRejection, summary } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const startResponding = (body: unknown) => startService((response) => sendJson(response, 200, body))

it('encodes the callId', async () => {
  const service = await startResponding({ callId: 'a/b?c=d&é', summary })
  await createTestClient(service.url).calls.getSummary('a/b?c=d&é')
  expect(service.requests[0]).toMatchObject({
    method: 'GET',
    url: '/v1/call/ai-summary?callId=a%2Fb%3Fc%3Dd%26%C3%A9',
    body: '',
  })
  expect(service.requests[0]?.headers).not.toHaveProperty('content-type')
})

it.each([
  ['', '/v1/call/ai-summary?callId=c'],
  ['/', '/v1/call/ai-summary?callId=c'],
  ['/public/api', '/public/api/v1/call/ai-summary?callId=c'],
  ['/public/api//', '/public/api/v1/call/ai-summary?callId=c'],
])('appends the path to a base URL that ends in "%s"', async (ending, url) => {
  const service = await startResponding({ callId: 'c', summary })
  await createTestClient(service.url + ending).calls.getSummary('c')
  expect(service.requests[0]?.url).toBe(url)
})

it.each([
  ['the record', { callId: 'c1', channel: 'PSTN', durationInSeconds: 4, summary }],
  ['a record without callId', { summary }],
  ['a record with an empty callId', { callId: '', summary }],
  ['a record whose callId is null', { callId: null, summary }],
  ['a bare summary', summary],
  ['a record in data', { data: { callId: 'c1', summary } }],
  ['a bare summary in data', { success: true, data: summary }],
  ['a bare summary in summary in data', { data: { summary } }],
  ['a record with a recap next to its summary', { recap: 'of the record', summary }],
  ['a record with data next to its summary', { data: { callId: 'c2' }, summary }],
])('reads %s', async (_, body) => {
  const service = await startResponding(body)
  expect(await createTestClient(service.url).calls.getSummary('c1')).toMatchObject({ callId: 'c1', summary })
})

it('keeps unknown fields and values, and empty optional fields except agentNumber', async () => {
  const service = await startResponding({
    callId: 'c1',
    channel: 'FAX',
    agentNumber: '',
    callStartedAt: null,
    recording: null,
    summary: { ...summary, mood: 'good' },
  })
  expect(await createTestClient(service.url).calls.getSummary('c1')).toEqual({
    callId: 'c1',
    channel: 'FAX',
    callStartedAt: null,
    recording: null,
    summary: { ...summary, mood: 'good' },
  })
})

it.each([
  ['a summary without recap', { callId: 'c', summary: { keyPoints: [], nextSteps: [] } }, 'summary.recap'],
  ['a channel that is not a string', { callId: 'c', channel: 5, summary }, 'channel'],
  ['an empty object', {}, 'summary'],
  ['an array', [], ''],
  ['null', null, ''],
])('rejects %s as a ResponseFormatError with issues and body', async (_, body, path) => {
  const service = await startResponding(body)
  const error = await getRejection(createTestClient(service.url).calls.getSummary('c'))
  expect(error).toBeInstanceOf(ResponseFormatError)
  expect(error).toMatchObject({ status: 200, issues: [{ path }], body: JSON.stringify(body) })
  expect(service.requests).toHaveLength(1)
})

it.each([
  ['a record', { callId: 'c2', summary }],
  ['a bare summary', { callId: 'c2', ...summary }],
  ['a record in data', { data: { callId: 'c2', summary } }],
  ['data', { callId: 'c2', data: { summary } }],
  ['a bare summary in data', { data: { callId: 'c2', ...summary } }],
  ['a bare summary in summary', { summary: { callId: 'c2', ...summary } }],
])('rejects %s that states another call', async (_, body) => {
  const service = await startResponding(body)
  const { calls } = createTestClient(service.url)
  for (const rejected of [calls.getSummary('c1'), calls.waitForSummary('c1', { maxWaitMs: 5_000 })]) {
    const error = await getRejection(rejected)
    expect(error).toBeInstanceOf(ResponseFormatError)
    expect(error).toMatchObject({
      status: 200,
      issues: [{ path: 'callId', message: 'callId is "c2", not the requested one' }],
    })
  }
  expect(service.requests).toHaveLength(2)
})

it.each([[''], ['a\0'], ['\ud800'], [undefined]])(
  'rejects the callId %j before a request is sent',
  async (callId) => {
    const service = await startResponding({ summary })
    const error = await getRejection(createTestClient(service.url).calls.getSummary(callId as string))
    expect(error).toBeInstanceOf(ValidationError)
    const message = 'callId must be a non-empty string without NUL or lone surrogates'
    expect(error).toMatchObject({
      message: `Invalid input to calls.getSummary: ${message}`,
      issues: [{ path: 'callId', message }],
    })
    expect(service.sockets.size).toBe(0)
  },
)

it('does not use __proto__ from a response as a prototype', async () => {
  const service = await startService((response) =>
    response.end(`{"__proto__":{"polluted":1},"callId":"c","summary":${JSON.stringify(summary)}}`),
  )
  const record = await createTestClient(service.url).calls.getSummary('c')
  expect(Reflect.get(record, 'polluted')).toBeUndefined()
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
})
