import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { follow } from './follow.ts'
import { createOutput } from './output.ts'

type Respond = (response: ServerResponse, request: IncomingMessage) => void

const event = {
  id: 'evt_0',
  name: 'CALL_ENDED',
  subject: 'call:1',
  channel: 'PSTN',
  occurredAt: '2026-01-01T00:00:00.000Z',
  payload: '{}',
}

const answer =
  (status: number): Respond =>
  (response) =>
    response.writeHead(status).end('{"message":"Later."}')

/** Follows the stream of a server whose connections get these responses, until the last one has sent its message. */
const followThrough = async (responds: readonly Respond[]) => {
  const resumed: unknown[] = []
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/stream')) return response.end(JSON.stringify({ items: [event] }))
    resumed.push(request.headers['last-event-id'])
    response.setHeader('content-type', 'text/event-stream')
    const respond = responds[resumed.length - 1]
    if (respond !== undefined) return respond(response, request)
    return response.write('id: evt_2\nevent: event\ndata: second\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  using closing = new DisposableStack()
  closing.defer(() => void server.close())
  closing.defer(() => server.closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const notices: string[] = []
  const output = { ...createOutput({ format: 'json' }), notice: (text: string) => void notices.push(text) }
  const options = { server: url, organization: 'demo', format: 'json' } as const
  const received: string[] = []
  for await (const { data } of follow(options, output, () => notices.push('open'))) {
    received.push(data)
    if (data === 'second') break
  }
  return { received, resumed, notices }
}

const first: Respond = (response) => response.end('id: evt_1\nevent: event\ndata: first\n\n')

describe.concurrent('follow', () => {
  test.each<[string, Respond]>([
    ['answers 503', answer(503)],
    ['answers 500', answer(500)],
    ['answers 429', answer(429)],
    ['closes the connection', (_, { socket }) => socket.destroy()],
  ])('goes on after a server that %s to a reconnect', async (_name, respond) => {
    expect(await followThrough([first, respond])).toEqual({
      received: ['first', 'second'],
      resumed: ['evt_0', 'evt_1', 'evt_1'],
      notices: ['open', 'The connection was lost. Reconnecting.', 'Reconnected.'],
    })
  })

  test.each([400, 401, 404])('ends if the server answers %i to a reconnect', async (status) => {
    const ended = expect(followThrough([first, answer(status)])).rejects
    await ended.toMatchObject({ name: 'CliError', cause: { status } })
  })

  test.each([503, 404])('ends if the server answers %i at first', async (status) => {
    await expect(followThrough([answer(status)])).rejects.toMatchObject({ cause: { status } })
  })
})

test('leaves no listeners of signals behind', async () => {
  const before = process.listenerCount('SIGTERM')
  await followThrough([])
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
