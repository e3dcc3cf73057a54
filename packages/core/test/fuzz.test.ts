import { CreateGroupRequest, type ErrorCode, errorCodes, isErrorCode, toIssues } from '@wabakit/contract'
import { createReferenceServer } from '@wabakit/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const errors: unknown[] = []
const server = createReferenceServer({
  organizations: [
    { id: 'acme', integrations: [{ wabaNumber: '15550100001' }], apiKeys: [{ key: 'wk_fuzz_0123456789' }] },
  ],
  rateLimit: false,
  onError: (error) => errors.push(error),
})
let created = 0
server.on('GROUP_CREATED', () => created++)

/** Expects a success, or an error with one of the codes and its status. */
const expectTyped = async (response: Response): Promise<ErrorCode | 'ok'> => {
  const body = await response.json()
  if (response.status === 200) return 'ok'
  if (!isErrorCode(body.code)) throw new Error(`not on the list: ${JSON.stringify(body)}`)
  expect(response.status).toBe(errorCodes[body.code as ErrorCode])
  expect(body.code).not.toBe('internal_error')
  expect(errors).toEqual([])
  return body.code
}

const post = (body: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
  server.fetch(
    new Request('https://api.example.com/whatsapp/wa-group/create', {
      method: 'POST',
      headers: { authorization: 'wk_fuzz_0123456789', 'content-type': 'application/json', ...headers },
      body,
    }),
  )

test('any bytes as a body result in a typed response', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await expectTyped(await post(new Uint8Array(bytes)))
    }),
    { numRuns: 500 },
  )
})

test('any JSON as a body results in a typed response, and creates a group if and only if the contract allows it', async () => {
  const field = fc.oneof(
    fc.constantFrom(
      '15550100001',
      '+1 555 010 0001',
      '',
      'x'.repeat(51),
      'auto_approve',
      '🎉'.repeat(128),
      'a\0',
    ),
    fc.string({ unit: 'binary' }),
    fc.jsonValue(),
  )
  const optional = { requiredKeys: [] }
  const request = fc.record(
    { wabaNumber: field, subject: field, description: field, joinApprovalMode: field, groupId: field },
    optional,
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: request }, fc.jsonValue()), async (body) => {
      const before = created
      const outcome = await expectTyped(await post(JSON.stringify(body)))
      if (created > before) expect(outcome).toBe('ok')
      const parsed = CreateGroupRequest.safeParse(JSON.parse(JSON.stringify(body)))
      const isRefused = outcome.startsWith('invalid_')
      expect([isRefused, parsed.success ? [] : toIssues(parsed.error)].toString()).toBe(
        [!parsed.success, parsed.success ? [] : toIssues(parsed.error)].toString(),
      )
    }),
    { numRuns: 150 },
  )
})

test('any path, method, key and callId result in a typed response', async () => {
  const key = fc.oneof(
    fc.constantFrom('wk_fuzz_0123456789', 'Bearer wk_fuzz_0123456789', 'Bearer', ''),
    fc.string({ maxLength: 40 }),
  )
  const path = fc.oneof(
    fc.constantFrom('/v1/call/ai-summary', '/whatsapp/wa-group/create', '/__proto__', '//'),
    fc.webPath(),
  )
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD')
  const callId = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(path, method, key, callId, async (pathname, verb, authorization, id) => {
      const url = new URL(`https://api.example.com${pathname}`)
      if (id !== undefined) url.searchParams.set('callId', id.toWellFormed())
      let headers: Headers
      try {
        headers = new Headers({ authorization })
      } catch {
        return
      }
      const response = await server.fetch(new Request(url, { method: verb, headers }), {
        remoteAddress: authorization,
      })
      await expectTyped(response)
    }),
    { numRuns: 500 },
  )
})

test('any content type and encoding result in a typed response', async () => {
  const type = fc.oneof(fc.string(), fc.stringMatching(/^application\/json ?;? ?[a-z0-9=;" -]*$/))
  await fc.assert(
    fc.asyncProperty(type, fc.constantFrom('identity', 'gzip', 'br', ''), async (contentType, encoding) => {
      let headers: Record<string, string>
      try {
        new Headers({ 'content-type': contentType })
        headers = { 'content-type': contentType, 'content-encoding': encoding }
      } catch {
        return
      }
      await expectTyped(await post('{}', headers))
    }),
    { numRuns: 300 },
  )
})
