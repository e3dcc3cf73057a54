import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type OutgoingRequest, sendRequest } from './send.ts'
import { startServedClock } from './served-clock.ts'

const send = async (port: number, request: Partial<OutgoingRequest>, limits = {}) => {
  using clock = startServedClock()
  const { signal } = new AbortController()
  return await sendRequest(
    new URL(`http://127.0.0.1:${port}/`),
    { method: 'POST', headers: {}, body: new Uint8Array(), ...request },
    { timeoutMs: 60_000, signal, clock, ...limits },
  )
}

test('reads a response that was sent before the connection was closed, although the rest could not be written', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    // Unread data makes the kernel reset the connection behind the response.
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      setImmediate(() => socket.destroy())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const body = Buffer.alloc(16 * 1_048_576)
  const parts = Array.from({ length: 10 }, (_, at) => body.subarray(at * 1_600_000, (at + 1) * 1_600_000))
  const seen = new Set<unknown>()
  for (let count = 0; count < 30; count += 1) {
    for (const request of [{ body }, { body, parts }]) {
      const { status, error } = await send(port, request)
      seen.add(status ?? error)
    }
  }
  expect([...seen]).toEqual([413])
})

test('names whose time-out it is that ran out', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  expect(await send(port, {}, { timeoutMs: 20, waits: 'the time-out of a sender' })).toMatchObject({
    timedOut: true,
    error: 'no response within 20 ms, the time-out of a sender',
  })
})

test.each([
  ['its time is over', { timeoutMs: 20 }],
  ['the response is too long', { maxResponseBytes: 10 }],
])('closes its connection when %s', async (_, limits) => {
  // The response begins and never ends.
  const server = createServer((_, response) => void response.write('x'.repeat(100))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const connections = new Set<unknown>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  await send((server.address() as AddressInfo).port, {}, limits)
  await expect.poll(() => connections.size).toBe(0)
})

test('takes a switch to another protocol, which no webhook asks for, as the response', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect(await send(port, {})).toMatchObject({ status: 101, timedOut: false })
})
