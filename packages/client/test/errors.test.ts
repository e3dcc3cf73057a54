import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  isApiError,
  isWabakitError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ResponseFormatError,
  ServerError,
  SummaryPendingError,
  SummaryUnavailableError,
  UnprocessableError,
  WabakitError,
} from '@wabakit/client'
import { expect, it } from 'vitest'
import { apiKey, createTestClient, getRejection, group } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService } from './loopback.ts'

const once = { retry: { limit: 0 } }

const createFailingClient = async (status: number, body: string, headers: Record<string, string> = {}) => {
  const { url } = await startService((response) => {
    response.writeHead(status, headers)
    response.end(body)
  })
  return createTestClient(url, once)
}

it.each([
  [400, BadRequestError, 'BadRequestError'],
  [401, AuthenticationError, 'AuthenticationError'],
  [403, PermissionDeniedError, 'PermissionDeniedError'],
  [404, NotFoundError, 'NotFoundError'],
  [405, ApiError, 'ApiError'],
  [409, ApiError, 'ApiError'],
  [413, ApiError, 'ApiError'],
  [415, ApiError, 'ApiError'],
  [422, UnprocessableError, 'UnprocessableError'],
  [429, RateLimitError, 'RateLimitError'],
] as const)('rejects %i with its class and literal name', async (status, Class, name) => {
  const client = await createFailingClient(status, '{}')
  const error = await getRejection(client.groups.create(group))
  expect(error).toBeInstanceOf(Class)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toBeInstanceOf(WabakitError)
  expect(error).toMatchObject({ name, status, code: 'unknown', serverCode: undefined, issues: [] })
  expect((error as Error).stack).toMatch(
    new RegExp(`^${name}: POST http://127\\.0\\.0\\.1:\\d+/whatsapp/wa-group/create returned ${status}`),
  )
  expect(isApiError(error) && isWabakitError(error)).toBe(true)
})

const explain = async (status: number, call: 'create' | 'summary') => {
  const client = await createFailingClient(status, '{"statusCode":403,"message":"Forbidden resource"}')
  const error = await getRejection(
    call === 'create' ? client.groups.create(group) : client.calls.getSummary('c'),
  )
  return String(error)
}

it('names all published causes of a 401, a 403 and a 404', async () => {
  for (const call of ['create', 'summary'] as const) {
    expect(await explain(401, call)).toContain('missing or invalid, or belongs in another header')
    expect(await explain(403, call)).toMatch(
      /invalid or revoked.*not allowed here, from this address or from browsers/,
    )
  }
  expect(await explain(403, 'create')).not.toContain('PSTN')
  expect(await explain(403, 'summary')).toContain('the organization has no PSTN calling')
  expect(await explain(404, 'create')).toContain('baseUrl is wrong')
  expect(await explain(404, 'summary')).toMatch(/unknown, belongs to another organization.*a WhatsApp call/)
  expect(await explain(400, 'create')).not.toContain('causes')
})

it('names only the cause that the reference server states', async () => {
  const client = await createFailingClient(401, '{"code":"invalid_api_key","message":"The key is invalid."}')
  expect(String(await getRejection(client.calls.getSummary('c')))).toMatch(
    /: The key is invalid. \(invalid_api_key\)$/,
  )
})

it('distinguishes a pending summary, a summary that can never exist, and other 422 responses', async () => {
  const pending = await getRejection(
    (await createFailingClient(202, '', { 'retry-after': '5' })).calls.getSummary('c'),
  )
  expect(pending).toBeInstanceOf(SummaryPendingError)
  expect(pending).toMatchObject({ name: 'SummaryPendingError', status: 202, retryAfterMs: 5000 })
  expect((pending as Error).message).toContain('the summary is not ready yet')
  const never = await getRejection((await createFailingClient(422, '')).calls.getSummary('c'))
  expect(never).toBeInstanceOf(SummaryUnavailableError)
  expect(never).toBeInstanceOf(UnprocessableError)
  expect(never).toMatchObject({ name: 'SummaryUnavailableError' })
})

it('has all fields of an error body from the reference server', async () => {
  const body = {
    statusCode: 400,
    error: 'Bad Request',
    message: 'subject must not be empty',
    code: 'invalid_subject',
    issues: [{ path: 'subject', message: 'subject must not be empty' }],
  }
  const { url } = await startService((response) => sendJson(response, 400, body, { 'x-request-id': 'req_1' }))
  const error = await getRejection(createTestClient(url).groups.create(group))
  expect(error).toMatchObject({
    message: `POST ${url}/whatsapp/wa-group/create returned 400: subject must not be empty (invalid_subject, request req_1)`,
    method: 'POST',
    path: '/whatsapp/wa-group/create',
    status: 400,
    code: 'invalid_subject',
    serverCode: 'invalid_subject',
    issues: body.issues,
    requestId: 'req_1',
    body: JSON.stringify(body),
  })
  expect((error as ApiError).headers.get('x-request-id')).toBe('req_1')
})

it('keeps an unknown code as serverCode', async () => {
  const client = await createFailingClient(422, '{"code":"E_1234","message":"no"}')
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    code: 'unknown',
    serverCode: 'E_1234',
  })
})

it.each([
  ['an array of messages', '{"message":["one","two"],"statusCode":400}', '400: one; two'],
  [
    'a message that repeats its field',
    '{"message":"callId callId must be a string"}',
    '400: callId must be a string',
  ],
  [
    'messages that repeat a field or each other',
    '{"message":["a.b a.b is required","c is empty","a.b is required"]}',
    '400: a.b is required; c is empty',
  ],
  [
    'a message that repeats a word later',
    '{"message":"no groups in the the shop"}',
    '400: no groups in the the shop',
  ],
  ['no error field', '{"statusCode":400,"message":"one"}', '400: one'],
  ['only an error field', '{"error":"Bad Request"}', '400: Bad Request'],
  ['no message', '{"statusCode":400}', '400: the body has no message'],
  [
    'fields of other types',
    '{"message":{"a":1},"code":7,"issues":"x","error":null}',
    '400: the body has no message',
  ],
  ['an HTML page', '<!doctype html><title>Oops</title>', '400: the body is an HTML page, not JSON'],
  ['an HTML page after blank lines', '\r\n <html></html>', '400: the body is an HTML page, not JSON'],
  ['a text with a "<"', 'quota < 1', '400: the body is not a JSON object'],
  ['an empty body', '', '400: the body is empty'],
  ['a blank body', ' \r\n', '400: the body is empty'],
  ['truncated JSON', '{"message":"on', '400: the body is not a JSON object'],
  ['a JSON string', '"nope"', '400: the body is not a JSON object'],
  ['a JSON array', '[1]', '400: the body is not a JSON object'],
])('has a readable message for %s', async (_, body, message) => {
  const error = await getRejection((await createFailingClient(400, body)).groups.create(group))
  expect(error).toBeInstanceOf(BadRequestError)
  expect((error as Error).message.replace(/^POST \S+/, '')).toBe(` returned ${message}`)
  expect(error).toMatchObject({ body })
})

it('keeps 64 KiB of an error body and closes the connection', async () => {
  const { url, carrying } = await startService((response) => {
    response.writeHead(500)
    const more = () => response.write('x'.repeat(16_384), () => response.destroyed || setImmediate(more))
    more()
  })
  const error = await getRejection(createTestClient(url, once).calls.getSummary('c'))
  expect(error).toBeInstanceOf(ServerError)
  expect((error as ApiError).body).toHaveLength(65_536)
  await expect.poll(() => carrying.size).toBe(0)
})

it('gives up on a successful response that does not end', async () => {
  const { url, carrying } = await startService((response) => {
    response.writeHead(200)
    const more = () => response.write('x'.repeat(65_536), () => response.destroyed || setImmediate(more))
    more()
  })
  const error = await getRejection(createTestClient(url).calls.getSummary('c'))
  expect(error).toBeInstanceOf(ResponseFormatError)
  expect((error as Error).message).toContain('returned 200 with a body over 1 MiB')
  expect((error as ResponseFormatError).body).toHaveLength(65_536)
  await expect.poll(() => carrying.size).toBe(0)
})

it.each(['message', 'error'])(
  'quotes at most a thousand characters of the %s from the server',
  async (field) => {
    const client = await createFailingClient(400, JSON.stringify({ [field]: 'x'.repeat(5000) }))
    const { message } = (await getRejection(client.groups.create(group))) as Error
    expect(message).toMatch(/ returned 400: x{1000}$/)
  },
)

it.each([
  ['HTML', '<html></html>', 'that is not JSON', [{ path: '', message: 'must be JSON' }]],
  [
    'two invalid fields',
    '{"success":"yes","groupId":7}',
    'that does not match the contract: success must be true; groupId must be a string',
    [
      { path: 'success', message: 'success must be true' },
      { path: 'groupId', message: 'groupId must be a string' },
    ],
  ],
])(
  'names all issues of a 200 with %s, and its request id if there is one',
  async (_, body, words, issues) => {
    for (const [headers, ending] of [
      [{ 'x-request-id': 'req_1' }, ' (request req_1)'],
      [{}, ''],
    ] as const) {
      const client = await createFailingClient(200, body, headers)
      const { cause: error } = (await getRejection(client.groups.create(group))) as Error
      expect((error as Error).message.replace(/^POST \S+/, '')).toBe(
        ` returned 200 with a body ${words}${ending}`,
      )
      expect(error).toMatchObject({ issues, isComplete: true })
    }
  },
)

it.each([300, 301, 302, 303, 307, 308])(
  'does not follow a %i, which would send the key elsewhere',
  async (status) => {
    const elsewhere = await startService((response) =>
      sendJson(response, 200, { success: true, groupId: 'g' }),
    )
    const client = await createFailingClient(status, '', { location: `${elsewhere.url}/there` })
    for (const call of [() => client.groups.create(group), () => client.calls.getSummary('c')]) {
      const error = await getRejection(call())
      expect(error).toBeInstanceOf(ResponseFormatError)
      expect(error).toMatchObject({ status, issues: [] })
      expect((error as Error).message).toContain(`redirect to ${elsewhere.url}/there`)
    }
    expect(elsewhere.requests).toEqual([])
  },
)

it('recognizes a redirect whose status a browser hides', async () => {
  const hidden = Object.defineProperties(new Response(null), {
    type: { value: 'opaqueredirect' },
    status: { value: 0 },
    ok: { value: false },
  })
  const error = await getRejection(
    createTestClient('https://a.example', { fetch: async () => hidden }).groups.create(group),
  )
  expect(error).toBeInstanceOf(ResponseFormatError)
  expect((error as Error).message).toContain('returned a redirect. Redirects are not followed')
})

it('recognizes errors from another copy of the package, and nothing else', () => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for('wabakit.error')]: true })
  expect(isWabakitError(foreign)).toBe(true)
  expect(isApiError(foreign)).toBe(false)
  for (const other of [new Error('x'), null, undefined, 'x', {}]) expect(isWabakitError(other)).toBe(false)
})

it('names the complete URL in every error from an attempt', async () => {
  const statuses = [400, 503, 200, 302]
  const service = await startService((response, _, number) =>
    sendJson(response, statuses[(number - 1) % 4] ?? 0, {}, { location: '/there' }),
  )
  const hanging = await startService(() => {})
  const refused = await getRefusedUrl()
  const clients = [
    ...statuses.map(() => createTestClient(`${service.url}/base/`, once)),
    createTestClient(`${hanging.url}/base`, { ...once, timeoutMs: 30 }),
    createTestClient(`${refused}/base`, once),
  ]
  for (const method of ['create', 'read'] as const) {
    for (const { groups, calls } of clients) {
      const error = await getRejection(method === 'create' ? groups.create(group) : calls.getSummary('c'))
      const path = method === 'create' ? '/whatsapp/wa-group/create ' : '/v1/call/ai-summary\\?callId=c '
      expect(String(error)).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+/base${path}`))
      expect(String(error).match(/http:/g)).toHaveLength(1)
    }
  }
})

it('masks a key that is part of the URL', async () => {
  const client = createTestClient(`${await getRefusedUrl()}/${encodeURIComponent(apiKey)}/v1`, once)
  const statuses = [400, 200, 302, 503]
  const answering = createTestClient(`https://a.example/${encodeURIComponent(apiKey)}/v1`, {
    ...once,
    fetch: async () => new Response('{}', { status: statuses.shift() ?? 500 }),
  })
  for (const { groups } of [client, answering, answering, answering, answering]) {
    const error = await getRejection(groups.create(group))
    expect(String(error)).toContain('/[redacted]/v1/')
    expect(String(error)).not.toContain(encodeURIComponent(apiKey))
  }
})
