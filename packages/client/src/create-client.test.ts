import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BadRequestError, type Client, createClient, isApiError } from './index.ts'

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (c: Buffer) => chunks.push(c))
  req.on('end', () => {
    const url = new URL(req.url ?? '', 'http://x')
    res.setHeader('content-type', 'application/json')
    res.setHeader('x-request-id', 'req_1')
    if (req.method === 'POST') {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      if (body.subject === 'bad') {
        res.statusCode = 400
        return res.end(
          JSON.stringify({
            statusCode: 400,
            message: ['a', `key ${req.headers.authorization}`],
            code: 'invalid_subject',
          }),
        )
      }
      return res.end(JSON.stringify({ success: true, groupId: body.groupId ?? 'gen' }))
    }
    res.end(
      JSON.stringify({
        callId: url.searchParams.get('callId'),
        summary: { recap: 'r', keyPoints: [], nextSteps: [] },
      }),
    )
  })
})
let client: Client
beforeAll(async () => {
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
  client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    apiKey: 'sk_live_1234567',
  })
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

it('creates a group', async () => {
  expect(await client.groups.create({ wabaNumber: '1', subject: 's', groupId: 'g' })).toMatchObject({
    success: true,
    groupId: 'g',
  })
  expect((await client.groups.create({ wabaNumber: '1', subject: 's' }).withResponse()).requestId).toBe(
    'req_1',
  )
})
it('gets a summary', async () => {
  expect((await client.calls.getSummary('a/b?c=d&é')).callId).toBe('a/b?c=d&é')
})
it('errors', async () => {
  const e = await client.groups.create({ wabaNumber: '1', subject: 'bad' }).catch((e) => e)
  expect(e).toBeInstanceOf(BadRequestError)
  expect(isApiError(e)).toBe(true)
})
