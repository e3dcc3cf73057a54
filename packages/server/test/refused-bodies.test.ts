import { once } from 'node:events'
import { createMock } from '@wabakit/mock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../src/index.ts'
import { acme } from './fixture.ts'
import { openRequest, sendLargeBody } from './refused-body.ts'

const json = 'content-type: application/json'
const tooLong = `x-long: ${'x'.repeat(17_000)}`

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
})
afterAll(async () => {
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
  await expect.poll(openOneMore, { timeout: 60_000 }).toBe(1)
  expect(await sendLargeBody(server.url + create, [json])).toEqual({ status: 401, error: undefined })
}, 70_000)
