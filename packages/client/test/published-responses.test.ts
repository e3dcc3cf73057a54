// The responses to a fetch that are published for a live service. All values are invented.
import { isApiError } from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClock } from './clock.ts'
import { createTestClient, getRejection } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const cases = [
  {
    case: 'not ready',
    response: [202, {}],
    error: { name: 'SummaryPendingError' },
    waits: true,
  },
  {
    case: 'key missing',
    response: [401, { statusCode: 401, message: 'Unauthorized' }],
    error: { name: 'AuthenticationError' },
    words: /Unauthorized\. Possible causes: the API key is missing/,
  },
  {
    case: 'key wrong, or address not allowed, or no PSTN calling',
    response: [403, { statusCode: 403, message: 'Forbidden resource', error: 'Forbidden' }],
    error: { name: 'PermissionDeniedError' },
    words: /Forbidden resource\. Possible causes: .*invalid.*address.*no PSTN calling/,
  },
  {
    case: 'unknown, foreign, or a WhatsApp call',
    response: [404, { statusCode: 404, message: 'No such call', error: 'Not Found' }],
    error: { name: 'NotFoundError' },
    words: /No such call\. Possible causes: .*unknown.*another organization.*WhatsApp/,
    waits: true,
  },
  {
    case: 'never',
    response: [422, { statusCode: 422, message: 'The call was too short', error: 'Unprocessable Entity' }],
    error: { name: 'SummaryUnavailableError' },
    words: /: The call was too short$/,
  },
  {
    case: '30 per minute',
    response: [
      429,
      { statusCode: 429, message: 'Slow down', error: 'Too Many Requests' },
      { 'retry-after': '30' },
    ],
    error: { name: 'RateLimitError', retryAfterMs: 30_000 },
    words: /: Slow down$/,
    waits: true,
  },
] as const

it.each(cases)('gives the published response a type and a cause: $case', async (published) => {
  const [status, body, headers] = published.response
  const service = await startService((response) => sendJson(response, status, body, headers))
  const client = createTestClient(service.url, { clock: createTestClock(), retry: { limit: 0 } })

  const error = await getRejection(client.calls.getSummary('call_8Rw3'))
  expect(isApiError(error)).toBe(true)
  expect(error).toMatchObject({ ...published.error, status, code: 'unknown' })
  if ('words' in published) expect((error as Error).message).toMatch(published.words)

  const before = service.requests.length
  const waiting = await getRejection(client.calls.waitForSummary('call_8Rw3', { maxWaitMs: 45_000 }))
  expect(service.requests.length - before > 1).toBe('waits' in published)
  const isPending = status === 202 || status === 429
  expect(waiting).toMatchObject(
    isPending ? { name: 'TimeoutError', cause: published.error } : published.error,
  )
})
