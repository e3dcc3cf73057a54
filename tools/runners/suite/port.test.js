import { createServer, request } from 'node:http'
import { createMock } from 'wabakit/mock'
import { createReceiver, standardWebhooks } from 'wabakit/webhooks'
import { stopServer, toNodeHandler } from 'wabakit/webhooks/node'

// For every environment: the fetch of a DOM is that of a page, so this sends as other processes do.
const send = (url, { headers = {}, body, until } = {}) =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request(url, { method, headers, agent: false }, (response) => {
      let text = ''
      const finish = () => resolve({ status: response.statusCode, headers: response.headers, text })
      response.setEncoding('utf8').on('end', finish).on('error', reject)
      response.on('data', (chunk) => {
        text += chunk
        if (until === undefined || !text.includes(until)) return
        finish()
        outgoing.destroy()
      })
    })
    outgoing.on('error', reject).end(body)
  })

let mock
beforeAll(async () => {
  mock = await createMock({ port: 0 })
})
afterAll(() => mock.close())

const create = (subject = 'Order 7') => {
  const headers = { authorization: mock.apiKey, 'content-type': 'application/json' }
  const body = JSON.stringify({ wabaNumber: mock.wabaNumber, subject })
  return send(`${mock.url}/whatsapp/wa-group/create`, { headers, body })
}

test('a mock on a port creates a group, refuses a large body, and plays faults', async () => {
  expect((await create()).status).toBe(200)
  expect((await create('x'.repeat(2_000_000))).status).toBe(413)
  mock.faults.next('groups.create', { truncated: true })
  await expect(create()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('a mock on a port streams events to other processes', async () => {
  const live = `${mock.url}/_wabakit/organizations/${mock.organizationId}/stream?after=`
  const streamed = send(live, { until: 'GROUP_CREATED' })
  await create()
  expect((await streamed).status).toBe(200)
})

test('a mock on a port sees all headers', async () => {
  const page = { origin: 'https://page.example', authorization: mock.apiKey }
  const { headers } = await send(`${mock.url}/v1/call/ai-summary?callId=call-1`, { headers: page })
  expect(headers['access-control-allow-origin']).toBe('*')
  expect((await send(`${mock.url}/_wabakit/tenants`, { headers: page })).status).toBe(403)
})

test('a mock delivers to a receiver on node:http, which refuses other requests early', async () => {
  const handled = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  const server = createServer(toNodeHandler(receiver.onAny(({ event }) => handled.push(event))))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/`
  try {
    await mock.subscribe({ url, secret: mock.secret })
    const { groupId } = JSON.parse((await create()).text)
    await mock.waitForDelivery('GROUP_CREATED', { groupId })
    expect(handled).toEqual(['GROUP_CREATED'])
    expect((await send(url, { body: '' })).status).toBe(401)
    expect((await send(url, { body: 'x'.repeat(2_000_000) })).status).toBe(401)
  } finally {
    await stopServer(server, { receiver })
  }
})
