import { ResponseFormatError, ValidationError } from '@wabakit/client'
import { expect, it } from 'vitest'
import { clientOf, rejectionOf, summary } from './fixtures.ts'
import { json, startService } from './loopback.ts'

const answering = (body: unknown) => startService((response) => json(response, 200, body))

it('asks with the callId encoded', async () => {
  const service = await answering({ callId: 'a/b?c=d&é', summary })
  await clientOf(service.url).calls.getSummary('a/b?c=d&é')
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
])('appends to a base URL that ends in "%s"', async (ending, url) => {
  const service = await answering({ callId: 'c', summary })
  await clientOf(service.url + ending).calls.getSummary('c')
  expect(service.requests[0]?.url).toBe(url)
})

it.each([
  ['the record', { callId: 'c1', channel: 'PSTN', durationInSeconds: 4, summary }],
  ['a record without callId', { summary }],
  ['a bare summary', summary],
  ['a record in data', { data: { callId: 'c1', summary } }],
  ['a bare summary in data', { success: true, data: summary }],
  ['a bare summary in summary in data', { data: { summary } }],
])('reads %s', async (_, body) => {
  const service = await answering(body)
  expect(await clientOf(service.url).calls.getSummary('c1')).toMatchObject({ callId: 'c1', summary })
})

it('keeps fields it does not know, in record and summary, and optional ones that are unset', async () => {
  const service = await answering({
    callId: 'c1',
    agentNumber: '',
    callStartedAt: null,
    recording: null,
    summary: { ...summary, mood: 'good' },
  })
  expect(await clientOf(service.url).calls.getSummary('c1')).toEqual({
    callId: 'c1',
    agentNumber: '',
    callStartedAt: null,
    recording: null,
    summary: { ...summary, mood: 'good' },
  })
})

it.each([
  ['a summary without recap', { callId: 'c', summary: { keyPoints: [], nextSteps: [] } }, 'summary.recap'],
  ['a channel of another list', { callId: 'c', channel: 'FAX', summary }, 'channel'],
  ['an empty object', {}, 'summary'],
  ['an array', [], ''],
  ['null', null, ''],
])('rejects %s as a ResponseFormatError with issues and body', async (_, body, path) => {
  const service = await answering(body)
  const error = await rejectionOf(clientOf(service.url).calls.getSummary('c'))
  expect(error).toBeInstanceOf(ResponseFormatError)
  expect(error).toMatchObject({ status: 200, issues: [{ path }], body: JSON.stringify(body) })
  expect(service.requests).toHaveLength(1)
})

it.each([[''], ['a\0'], ['\ud800'], [undefined]])(
  'rejects the callId %j before any byte is sent',
  async (callId) => {
    const service = await answering({ summary })
    const error = await rejectionOf(clientOf(service.url).calls.getSummary(callId as string))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({ issues: [{ path: 'callId' }] })
    expect(service.sockets.size).toBe(0)
  },
)

it('does not take __proto__ in an answer for a prototype', async () => {
  const service = await startService((response) =>
    response.end(`{"__proto__":{"polluted":1},"callId":"c","summary":${JSON.stringify(summary)}}`),
  )
  const record = await clientOf(service.url).calls.getSummary('c')
  expect(Reflect.get(record, 'polluted')).toBeUndefined()
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
})
