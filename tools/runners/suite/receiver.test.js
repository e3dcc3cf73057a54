import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, generateSecret, signWebhook, sqlInbox, standardWebhooks } from 'wabakit/webhooks'
import { toLambdaHandler } from 'wabakit/webhooks/lambda'
import { toNodeHandler } from 'wabakit/webhooks/node'

// For every environment: in jsdom and happy-dom, bytes, requests and errors come from another realm.
const secret = generateSecret()
const payload = JSON.stringify({ event: 'CALL_ENDED', callId: 'call_1' })

const createCase = () => {
  const handled = []
  const inbox = sqlInbox(new DatabaseSync(':memory:'))
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }), inbox })
  receiver.on('CALL_ENDED', ({ callId }) => handled.push(callId))
  return { receiver, handled, inbox }
}

test('runs in its environment', () => {
  expect(typeof document).toBe(process.env.ENVIRONMENT === 'node' ? 'undefined' : 'object')
})

test.each([
  ['text', payload],
  ['bytes', new TextEncoder().encode(payload)],
  ['a Buffer', Buffer.from(payload)],
])('stores and handles a request whose body is %s', async (_, body) => {
  const { receiver, handled, inbox } = createCase()
  const { headers } = await signWebhook({ payload: body, secret })
  const response = await receiver.handle(new Request('http://a/', { method: 'POST', body, headers }))
  await receiver.accept(new TextEncoder().encode(payload), { id: 'other' })
  await receiver.drain({ maxMs: 5_000 })
  expect([response.status, handled]).toEqual([200, ['call_1', 'call_1']])
  expect((await inbox.list()).map(({ state }) => state)).toEqual(['handled', 'handled'])
})

test('receives on node:http', async () => {
  const { receiver, handled } = createCase()
  const server = createServer(toNodeHandler(receiver))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { headers } = await signWebhook({ payload, secret })
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.address().port, method: 'POST', headers }
      request(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(payload)
    })
    await receiver.drain({ maxMs: 5_000 })
    expect([status, handled]).toEqual([200, ['call_1']])
  } finally {
    server.close()
  }
})

test.each([true, false])('receives on Lambda, with base64: %s', async (isBase64Encoded) => {
  const { receiver, handled } = createCase()
  const { headers } = await signWebhook({ payload, secret })
  const body = isBase64Encoded ? Buffer.from(payload).toString('base64') : payload
  const requestContext = { domainName: 'a', http: { method: 'POST', path: '/' } }
  const event = {
    version: '2.0',
    rawPath: '/',
    rawQueryString: '',
    headers,
    body,
    isBase64Encoded,
    requestContext,
  }
  const { statusCode } = await toLambdaHandler(receiver)(event, {})
  await receiver.drain({ maxMs: 5_000 })
  expect([statusCode, handled]).toEqual([200, ['call_1']])
})
