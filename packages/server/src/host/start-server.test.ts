import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startServer } from './start-server.ts'

const opened: Array<() => unknown> = []

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

const acme = {
  id: 'acme',
  integrations: [{ wabaNumber: '+15550100001' }],
  pstnNumbers: ['+15550100002'],
  apiKeys: [{ key: 'wk_test_key' }],
}

const start = async (config: Parameters<typeof startServer>[0] = {}) => {
  const server = await startServer({
    port: 0,
    database: ':memory:',
    logLevel: 'silent',
    organizations: [acme],
    ...config,
  })
  opened.push(server.close)
  return server
}

const create = (url: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${url}/whatsapp/wa-group/create`, {
    method: 'POST',
    headers: { authorization: 'wk_test_key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team', ...body }),
  })

test('answers the public API', async () => {
  const { url } = await start()

  const response = await create(url, { groupId: 'team-1' })

  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ success: true, groupId: 'team-1' })
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
})

test('delivers signed webhooks to a loopback address', async () => {
  const received = Promise.withResolvers<{ id: string | string[] | undefined; body: string }>()
  const endpoint = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.resolve({ id: request.headers['webhook-id'], body })
    response.end()
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  opened.push(() => endpoint.close())
  const { port } = endpoint.address() as AddressInfo
  const { url, service } = await start()
  await service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `http://127.0.0.1:${port}/hooks`,
  })

  await create(url, { groupId: 'team-1' })

  const { id, body } = await received.promise
  expect(id).toMatch(/^evt_/)
  expect(JSON.parse(body)).toMatchObject({ event: 'GROUP_CREATED', groupId: 'team-1' })
})
