import { ValidationError } from '@wabakit/client'
import { CreateGroupResponse, extraFields } from '@wabakit/contract'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createTestClient, getRejection, group } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const created = { success: true, groupId: 'order-7' }

it('posts the five fields as JSON and resolves to the groupId of the response', async () => {
  const service = await startService((response) => sendJson(response, 200, created))
  const input = {
    ...group,
    description: 'd',
    joinApprovalMode: 'approval_required',
    groupId: 'order-7',
  } as const
  expect(await createTestClient(service.url).groups.create(input)).toEqual(created)
  const [request] = service.requests
  expect(request).toMatchObject({ method: 'POST', url: '/whatsapp/wa-group/create' })
  expect(request?.headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' })
  expect(JSON.parse(request?.body ?? '')).toEqual(input)
})

it('generates a groupId for each create request without one: wagrp_ and a ULID of the current time', async () => {
  const service = await startService((response) => sendJson(response, 200, created))
  const client = createTestClient(service.url, {
    clock: { now: () => Date.UTC(2026, 0, 1), sleep: async () => {} },
  })
  await client.groups.create(group)
  await client.groups.create({ ...group, groupId: undefined })
  const ids = service.requests.map(({ body }) => JSON.parse(body).groupId)
  for (const id of ids) expect(id).toMatch(/^wagrp_01KDVDNA00[0-9A-HJKMNP-TV-Z]{16}$/)
  expect(new Set(ids).size).toBe(2)
})

it('generates the groupId with the cryptographic generator', async () => {
  const service = await startService((response) => sendJson(response, 200, created))
  vi.stubGlobal('crypto', { getRandomValues: (numbers: Uint32Array) => numbers.fill(2 ** 31) })
  onTestFinished(() => void vi.unstubAllGlobals())
  await createTestClient(service.url).groups.create(group)
  expect(JSON.parse(service.requests[0]?.body ?? '').groupId.slice(-16)).toBe('G'.repeat(16))
})

it('generates a groupId on platforms without crypto, such as React Native', async () => {
  const service = await startService((response) => sendJson(response, 200, created))
  vi.stubGlobal('crypto', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  await createTestClient(service.url).groups.create(group)
  expect(JSON.parse(service.requests[0]?.body ?? '').groupId).toMatch(/^wagrp_.{26}$/)
})

it('accepts any 2xx that matches the contract, and keeps unknown fields', async () => {
  const service = await startService((response) => sendJson(response, 201, { ...created, wabaNumber: '1' }))
  const data = await createTestClient(service.url).groups.create(group)
  expect(extraFields(data, CreateGroupResponse)).toEqual({ wabaNumber: '1' })
})

it.each([{}, { success: null }, { success: true }])('accepts a 200 with a groupId and %j', async (fields) => {
  const service = await startService((response) => sendJson(response, 200, { ...fields, groupId: 'order-7' }))
  expect(await createTestClient(service.url).groups.create(group)).toEqual(created)
})

it.each([
  [{ success: true }, 'groupId is required'],
  [{ success: true, groupId: '' }, 'groupId must not be empty'],
  [{ success: true, groupId: null }, 'groupId'],
  [{ success: false, groupId: 'order-7' }, 'success must be true'],
  [{ success: 'no', groupId: 'order-7' }, 'success must be true'],
  [[], 'object'],
])('does not know the outcome after a 200 with %j, even with writes: always', async (body, words) => {
  const service = await startService((response) => sendJson(response, 200, body))
  const client = createTestClient(service.url, { retry: { writes: 'always' } })
  const error = await getRejection(client.groups.create({ ...group, groupId: 'order-7' }))
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', groupId: 'order-7' })
  expect(error).toMatchObject({ cause: { name: 'ResponseFormatError', status: 200 } })
  expect((error as Error).message).toContain(words)
  expect(service.requests).toHaveLength(1)
})

it('returns the response and the request id from withResponse, whose rejection does not count as unhandled', async () => {
  const unhandled: unknown[] = []
  const record = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', record)
  const service = await startService((response, _, number) =>
    sendJson(response, number === 1 ? 200 : 422, created, { 'x-request-id': `req_${number}` }),
  )
  const client = createTestClient(service.url)
  const { data, response, requestId } = await client.groups.create(group).withResponse()
  expect([data, response.status, requestId]).toEqual([created, 200, 'req_1'])
  await expect(client.groups.create(group).withResponse()).rejects.toMatchObject({ requestId: 'req_2' })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', record)
  expect(unhandled).toEqual([])
})

it.each([
  ['wabaNumber', { wabaNumber: '' }],
  ['subject', { subject: '' }],
  ['subject', { subject: 'x'.repeat(129) }],
  ['subject', { subject: 'a\0b' }],
  ['description', { description: 'x'.repeat(2049) }],
  ['joinApprovalMode', { joinApprovalMode: 'anyone' }],
  ['groupId', { groupId: '' }],
  ['groupId', { groupId: 'x'.repeat(51) }],
])('rejects an invalid %s before a request is sent', async (path, change) => {
  const service = await startService((response) => sendJson(response, 200, created))
  const error = await getRejection(
    createTestClient(service.url).groups.create({ ...group, ...change } as typeof group),
  )
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({ name: 'ValidationError', code: 'invalid_input', issues: [{ path }] })
  expect(service.sockets.size).toBe(0)
})

it.each([
  ['\u202a+15550001111\u202c', 'U+202A'],
  ['+1\u200b5550001111', 'U+200B'],
  ['\ufeff+15550001111', 'U+FEFF'],
  ['+1\u00a0555\u00a00001111', 'U+00A0'],
  ['+1\u202f5550001111', 'U+202F'],
  ['+1\u2011555\u20110001111', 'U+2011'],
  ['+1 555 \u2013 0001111', 'U+2013'],
  ['+1 555 \u2212 0001111', 'U+2212'],
  ['+\u0661\u0665550001111', 'U+0661'],
])('names the character that was pasted with the number %j', async (wabaNumber, code) => {
  const client = createTestClient('https://a.example')
  const error = await getRejection(client.groups.create({ ...group, wabaNumber }))
  expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path: 'wabaNumber' }] })
  expect((error as Error).message).toContain(`wabaNumber contains ${code}: type the number again`)
})

it('sends a number with spaces, hyphens, dots and parentheses as it is', async () => {
  const service = await startService((response) => sendJson(response, 200, created))
  const wabaNumber = ' +1 (555) 000-1111.'
  await createTestClient(service.url).groups.create({ ...group, wabaNumber })
  expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject({ wabaNumber })
})

it('lists all issues at once', async () => {
  const error = await getRejection(
    createTestClient('https://a.example').groups.create({ wabaNumber: '', subject: '' }),
  )
  expect(error).toMatchObject({
    message: 'Invalid input to groups.create: wabaNumber must not be empty; subject must not be empty',
    issues: [{ path: 'wabaNumber' }, { path: 'subject' }],
  })
})

it('counts code points: a subject of 128 emoji is sent', async () => {
  const service = await startService((response) => sendJson(response, 200, created))
  await createTestClient(service.url).groups.create({ ...group, subject: '🎉'.repeat(128) })
  expect(JSON.parse(service.requests[0]?.body ?? '').subject).toBe('🎉'.repeat(128))
})
