import { createReferenceServer } from '@wabakit/core'
import { createMock } from '@wabakit/mock'
import { bearerAuth, createReceiver, type ReceiverOptions } from '@wabakit/webhooks'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { joined } from '../../webhooks/test/signed.ts'

// Firefox's requests are like this. Their bodies can be read, but not as a stream.
beforeEach(() => {
  const spy = vi.spyOn(Request.prototype, 'body', 'get').mockReturnValue(undefined as never)
  onTestFinished(() => spy.mockRestore())
})

const verify = bearerAuth({ token: 't0ken' })
const create = (body: string | undefined, init: RequestInit = {}) =>
  new Request('http://localhost', {
    method: 'POST',
    headers: { authorization: 'Bearer t0ken', 'content-type': 'application/json' },
    ...init,
    ...(body !== undefined && { body }),
  })

const receive = async (request: Request, options: Partial<ReceiverOptions> = {}) => {
  const events: unknown[] = []
  const receiver = createReceiver({ verify, ...options })
    .onAny((event) => events.push(event))
    .onError(() => {})
  const response = await receiver.handle(request)
  const text = await response.text()
  return { status: response.status, code: text && JSON.parse(text).code, events }
}

test('a receiver handles a request without a body property', async () => {
  expect(await receive(create(JSON.stringify(joined)))).toEqual({ status: 200, code: '', events: [joined] })
})

test('a receiver applies its limits, and recognizes a body that is empty or was read', async () => {
  expect(await receive(create('x'.repeat(11)), { maxBodyBytes: 10 })).toMatchObject({
    code: 'body_too_large',
  })
  expect(await receive(create(undefined))).toMatchObject({ status: 400, code: 'not_json' })
  const read = create('{}')
  await read.text()
  expect(await receive(read)).toMatchObject({ code: 'body_was_parsed' })
  const never = Object.defineProperty(create('{}'), 'arrayBuffer', { value: () => new Promise(() => {}) })
  expect(await receive(never, { bodyTimeoutMs: 10 })).toMatchObject({ code: 'body_timeout' })
  const failing = Object.defineProperty(create('{}'), 'arrayBuffer', { value: () => Promise.reject(Error()) })
  expect(await receive(failing)).toMatchObject({ code: 'body_unreadable' })
})

test('the core creates a group, and refuses a body that is too large', async () => {
  const key = 'wk_test_key_0123456789'
  const wabaNumber = '+15550100001'
  const server = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }], apiKeys: [{ key }] }],
  })
  const send = async (subject: string) => {
    const headers = { authorization: key, 'content-type': 'application/json' }
    const body = JSON.stringify({ wabaNumber, subject })
    return (
      await server.fetch(
        new Request('http://localhost/whatsapp/wa-group/create', { method: 'POST', headers, body }),
      )
    ).status
  }
  expect([await send('Team'), await send('x'.repeat(65_537))]).toEqual([200, 413])
})

test.each(['reference', 'live'] as const)('a mock with the profile %s records a body', async (profile) => {
  const mock = await createMock({ profile })
  onTestFinished(() => mock.close())
  await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Team' })
  expect(mock.requests.at(-1)?.body).toMatchObject({ subject: 'Team' })
})
