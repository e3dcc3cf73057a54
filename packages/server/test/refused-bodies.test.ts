import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMock } from '@wabakit/mock'
import { bearerAuth, createReceiver } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../src/index.ts'
import { acme } from './fixture.ts'
import { openRequest, sendLargeBody, sendUntilClosed } from './refused-body.ts'

const json = 'content-type: application/json'
const tooLong = `x-long: ${'x'.repeat(17_000)}`

const token = 'a-token-of-a-receiver'
const receiver = createReceiver({ verify: bearerAuth({ token }), maxBodyBytes: 65_536 })
  .onUnknown(() => {})
  .onError(() => {})
const node = createServer(toNodeHandler(receiver))

let server: RunningServer
let mock: Awaited<ReturnType<typeof createMock>>
beforeAll(async () => {
  server = await startServer({
    port: 0,
    database: ':memory:',
    logLevel: 'silent',
    organizations: [acme],
    controlToken: 'a-control-token-of-24-bytes',
  })
  mock = await createMock({ port: 0 })
  await once(node.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  node.close()
  await server.close()
  await mock.close()
})

const create = '/whatsapp/wa-group/create'
type Case = [status: number, path: string, headers: string[], method?: string]

const shared: Case[] = [
  [401, create, [json]],
  [405, create, [], 'PUT'],
  [405, create, [], 'TRACE'],
  [404, '/unknown', []],
  [431, create, [json, tooLong]],
]

test.each<Case>([
  ...shared,
  [413, create, [`authorization: ${acme.apiKeys[0]?.key}`, json]],
  [200, '/healthz', [], 'GET'],
  [401, '/_wabakit/organizations', []],
])(
  'the server takes all of a large body, so that a proxy gets its %i to %s',
  async (status, path, headers, method) => {
    expect(await sendLargeBody(server.url + path, headers, method)).toEqual({ status, error: undefined })
  },
)

test.each<Case>([...shared])(
  'the mock takes all of a large body, so that a proxy gets its %i to %s',
  async (status, path, headers, method) => {
    expect(await sendLargeBody(mock.url + path, headers, method)).toEqual({ status, error: undefined })
  },
)

type Send = (version: '1.0' | '1.1', of: { key?: boolean; isLarge?: boolean }) => string

/** The URL of each host of requests, and a function that writes one to it. */
const open = (host: 'server' | 'mock' | 'node adapter'): { readonly url: string; readonly send: Send } => {
  const [url, key, body] =
    host === 'node adapter'
      ? [`http://127.0.0.1:${(node.address() as AddressInfo).port}/`, `Bearer ${token}`, { event: 'X' }]
      : host === 'mock'
        ? [mock.url + create, mock.apiKey, { wabaNumber: mock.wabaNumber, subject: 'A' }]
        : [server.url + create, acme.apiKeys[0]?.key, { wabaNumber: '+15550100001', subject: 'A' }]
  // More than the mock reads. If the rest of a refused body were read as requests, they would be answered with another status.
  const large = 'BREW /rest HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(130_000)
  const send: Send = (version, { key: hasKey, isLarge }) => {
    const sent = isLarge ? large : JSON.stringify(body)
    const lines = [`POST ${new URL(url).pathname} HTTP/${version}`, 'host: 127.0.0.1', json]
    if (hasKey) lines.push(`authorization: ${key}`)
    return [...lines, `content-length: ${sent.length}`, '', sent].join('\r\n')
  }
  return { url, send }
}

const hosts = ['server', 'mock', 'node adapter'] as const

/** Splits a request in the middle of its large body. */
const split = (request: string): [first: string, rest: string] => [
  request.slice(0, request.length / 2),
  request.slice(request.length / 2),
]

test.each(hosts)('the %s closes a connection of HTTP/1.0 after each response', async (host) => {
  const { url, send } = open(host)
  for (const [status, request] of [
    [200, { key: true }],
    [401, {}],
    [401, { isLarge: true }],
    [413, { key: true, isLarge: true }],
  ] as const) {
    const [first, rest] = request.isLarge ? split(send('1.0', request)) : [send('1.0', request), '']
    // Again if this process was stopped for the 2 seconds in which the rest of a body is read.
    await expect
      .poll(() => sendUntilClosed(url, { first, rest, responses: 1 }))
      .toEqual({ statuses: [status], isLast: true, error: undefined })
  }
})

test.each(hosts)('the %s answers pipelined requests in order, and never the rest of a body', async (host) => {
  const { url, send } = open(host)
  const good = send('1.1', { key: true })
  const last = good.replace('\r\nhost', '\r\nconnection: close\r\nhost')
  for (const [requests, expected] of [
    [{ first: good + good + last }, [200, 200, 200]],
    [{ first: send('1.1', {}) + last }, [401]],
    ...[[{ isLarge: true }, 401] as const, [{ key: true, isLarge: true }, 413] as const].map(
      ([request, status]) => {
        const [first, rest] = split(send('1.1', request))
        return [{ first: good + first, rest: rest + last, responses: 2 }, [200, status]] as const
      },
    ),
  ] as const) {
    const seen = async () => {
      const { statuses, ...others } = await sendUntilClosed(url, requests)
      return {
        ...others,
        statuses: statuses.slice(0, expected.length),
        more: statuses.slice(expected.length),
      }
    }
    // The connection may survive a body that has arrived whole. The next request is then answered as usual.
    await expect
      .poll(seen)
      .toEqual({ statuses: expected, more: expect.toBeOneOf([[], [200]]), isLast: true, error: undefined })
  }
})

test('closes the connection at once if 100 other refused bodies are still arriving, and counts it', async () => {
  const open = () => openRequest(server.url + create, [json, 'transfer-encoding: chunked'])
  const countCut = async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    return Number(/\nwabakit_http_cut_connections_total (\d+)/.exec(metrics)?.[1])
  }
  /** Returns how many were cut; `undefined` if the machine took so long that some of the 100 had ended before. */
  const openOneMore = async (): Promise<number | undefined> => {
    const before = await countCut()
    const first = Array.from({ length: 100 }, open)
    try {
      await Promise.all(first.map(({ socket }) => once(socket, 'data')))
      const { socket } = open()
      await once(socket, 'end')
      socket.destroy()
      const isLate = first.some((each) => each.socket.readableEnded)
      const cut = (await countCut()) - before
      await Promise.all(first.map((each) => each.socket.readableEnded || once(each.socket, 'end')))
      return isLate ? undefined : cut
    } finally {
      for (const each of first) each.socket.destroy()
    }
  }
  await expect.poll(openOneMore).toBe(1)
  expect(await sendLargeBody(server.url + create, [json])).toEqual({ status: 401, error: undefined })
})
