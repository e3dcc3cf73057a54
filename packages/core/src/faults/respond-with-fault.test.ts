import type { EndpointName } from '@wabakit/contract'
import { expect, test } from 'vitest'
import type { ApiFault } from './api-faults.ts'
import { respondWithFault } from './respond-with-fault.ts'

const own = { success: true, groupId: 'g' }

const respond = (fault: ApiFault, endpoint: EndpointName = 'groups.create'): Promise<Response> =>
  respondWithFault(fault, {
    endpoint,
    createRequestId: () => 'req_1',
    respond: async () => Response.json(own, { status: 201, headers: { 'x-request-id': 'req_own' } }),
    sleep: async () => {},
    flush: async () => {},
    reset: () => {
      throw new Error('reset')
    },
  })

const simulated = 'This is a simulated fault.'

const unavailable = { statusCode: 503, error: 'Service Unavailable', message: simulated }

test.each<[ApiFault, number, object]>([
  [{ status: 503 }, 503, unavailable],
  // As the service does when its storage is unavailable: without the code, no client retries a create request.
  [{ status: 503, retryAfterSeconds: 1 }, 503, { ...unavailable, code: 'storage_unavailable' }],
  [{ status: 418 }, 418, { statusCode: 418, message: simulated }],
  [
    { code: 'invalid_subject' },
    400,
    { statusCode: 400, error: 'Bad Request', message: simulated, code: 'invalid_subject' },
  ],
  [
    { code: 'new_code', message: 'no' },
    400,
    { statusCode: 400, error: 'Bad Request', message: 'no', code: 'new_code' },
  ],
  [{ body: { any: ['value'] } }, 200, { any: ['value'] }],
  [{ status: 500, body: null }, 500, null as never],
  [{ offContract: true }, 200, { ok: 1 }],
  [{ latencyMs: 1 }, 201, own],
])('the fault %j results in %i and %j', async (fault, status, body) => {
  const response = await respond(fault)
  expect([response.status, await response.json()]).toEqual([status, body])
})

test.each<[ApiFault, number, string, string]>([
  [{ malformed: true }, 200, 'application/json; charset=utf-8', '{"success":true,'],
  [{ html: true }, 502, 'text/html; charset=utf-8', '<!doctype html>'],
  [{ html: true, status: 200 }, 200, 'text/html; charset=utf-8', '<!doctype html>'],
  [{ body: '' }, 200, 'text/plain', ''],
])('the fault %j results in %i and a body that is no JSON', async (fault, status, type, start) => {
  const response = await respond(fault)
  expect([response.status, response.headers.get('content-type')]).toEqual([status, type])
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  const text = await response.text()
  expect(text.slice(0, start.length || 1)).toBe(start)
})

test.each<[EndpointName, number, string | undefined]>([
  ['groups.create', 400, undefined],
  ['groups.create', 404, undefined],
  ['groups.create', 422, undefined],
  ['groups.create', 403, 'waba_number_not_permitted'],
  ['calls.getSummary', 400, undefined],
  ['calls.getSummary', 404, 'summary_not_found'],
  ['calls.getSummary', 422, 'summary_unavailable'],
  ['calls.getSummary', 401, undefined],
  ...[408, 413, 415, 429, 431, 500].map((status): [EndpointName, number, string] => [
    'groups.create',
    status,
    expect.stringMatching(/^[a-z_]+$/),
  ]),
])('%s has its only code for %i, and no code of another endpoint: %s', async (endpoint, status, code) => {
  const body = await (await respond({ status }, endpoint)).json()
  expect([body.statusCode, body.code]).toEqual([status, code])
})

test.each([
  [5, '5', 5],
  ['soon', 'soon', 60],
  [undefined, null, 60],
])('a 429 with Retry-After %j has the rate-limit headers of the service', async (seconds, retryAfter, t) => {
  const { headers } = await respond({ status: 429, retryAfterSeconds: seconds })
  expect(headers.get('retry-after')).toBe(retryAfter)
  expect(headers.get('ratelimit')).toBe(`"key";r=0;t=${t}`)
  expect(headers.get('ratelimit-policy')).toBe('"key";q=300;w=60')
})

test('other statuses have no rate-limit headers, and those of the service are kept', async () => {
  expect((await respond({ status: 500 })).headers.has('ratelimit')).toBe(false)
  expect((await respond({ latencyMs: 1 })).headers.has('ratelimit')).toBe(false)
  const limited = Response.json({}, { status: 429, headers: { ratelimit: 'its own' } })
  const { headers } = await respondWithFault(
    { latencyMs: 1 },
    {
      endpoint: undefined,
      createRequestId: () => '',
      respond: async () => limited,
      sleep: async () => {},
      flush: async () => {},
      reset: () => {},
    },
  )
  expect(headers.get('ratelimit')).toBe('its own')
})

test('a response without a body can be simulated, and one of a request that is not carried out', async () => {
  const empty = await respond({ status: 204 })
  expect([empty.status, await empty.text()]).toEqual([204, ''])
  const skipped = await respond({ latencyMs: 1, carriedOut: false })
  expect([skipped.status, skipped.headers.get('x-request-id')]).toEqual([200, 'req_1'])
})

test.each<[ApiFault, boolean]>([
  [{ latencyMs: 1 }, true],
  [{ truncated: true }, true],
  [{ malformed: true }, true],
  [{ offContract: true }, true],
  [{ html: true }, false],
  [{ status: 500 }, false],
  [{ code: 'invalid_subject' }, false],
  [{ body: {} }, false],
  [{ reset: true }, false],
  [{ status: 500, carriedOut: true }, true],
  [{ malformed: true, carriedOut: false }, false],
])('the service performs the request that the fault %j hits: %s', async (fault, isCarriedOut) => {
  let requests = 0
  await respondWithFault(fault, {
    endpoint: 'groups.create',
    createRequestId: () => 'req_1',
    respond: async () => {
      requests += 1
      return Response.json(own)
    },
    sleep: async () => {},
    flush: async () => {},
    reset: () => {},
  })
  expect(requests).toBe(Number(isCarriedOut))
})

test('a reset that does not throw results in 502', async () => {
  let resets = 0
  const exchange = {
    endpoint: undefined,
    createRequestId: () => '',
    respond: async () => Response.json({}),
    sleep: async () => {},
    flush: async () => {},
  }
  const response = await respondWithFault({ reset: true }, { ...exchange, reset: () => resets++ })
  expect([response.status, resets]).toEqual([502, 1])
})

test('a truncated response has the head of the whole one, and half of its body before the reset', async () => {
  const response = await respond({ truncated: true })
  const text = JSON.stringify(own)
  expect([response.status, response.headers.get('content-length')]).toEqual([201, String(text.length)])
  expect(response.headers.get('x-request-id')).toBe('req_own')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe(text.slice(0, Math.ceil(text.length / 2)))
  await expect(reader?.read()).rejects.toThrow('reset')
})

test('a fault adds headers to the response of the service, too', async () => {
  const { status, headers } = await respond({ latencyMs: 1, headers: { 'x-proxy': 'slow' } })
  expect([status, headers.get('x-proxy'), headers.get('x-request-id')]).toEqual([201, 'slow', 'req_own'])
})
