import { once } from 'node:events'
import { Agent, createServer, type ServerResponse, request as sendRequest } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { stopServer } from './stop-server.ts'

/** Starts a server, and a client that keeps its connections. */
const listen = async (handle: (response: ServerResponse) => void) => {
  const server = createServer((request, response) => {
    request.resume()
    handle(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const send = (): Promise<number | string> =>
    new Promise((resolve) => {
      sendRequest({ port, host: '127.0.0.1', agent, method: 'POST' }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      })
        .once('error', (error) => resolve('code' in error ? String(error.code) : 'failed'))
        .end()
    })
  return { server, send }
}

/** A receiver that refuses requests once it is stopped. */
const createStoppable = (stopMs = 0) => {
  const receiver = {
    isStopped: false,
    maxMs: 0,
    stop: async ({ maxMs = 0 } = {}) => {
      receiver.isStopped = true
      receiver.maxMs = maxMs
      await new Promise((resolve) => setTimeout(resolve, stopMs))
    },
  }
  return receiver
}

test('ends although senders keep their connections busy, and refuses none of their requests', async () => {
  const receiver = createStoppable()
  const { server, send } = await listen((response) => {
    setImmediate(() => response.writeHead(receiver.isStopped ? 503 : 200).end())
  })
  let isOn = true
  const results: (number | string)[] = []
  const senders = Array.from({ length: 8 }, async () => {
    while (isOn) results.push(await send())
  })
  await expect.poll(() => results.length).toBeGreaterThan(50)

  await stopServer(server, { receiver })

  await expect.poll(() => results.at(-1)).toBe('ECONNREFUSED')
  isOn = false
  await Promise.all(senders)
  expect(receiver.isStopped).toBe(true)
  expect(results).not.toContain(503)
})

test('lets a request finish that began before the stop, and closes its connection', async () => {
  const receiver = createStoppable()
  const began = Promise.withResolvers<ServerResponse>()
  const { server, send } = await listen(began.resolve)
  const result = send()
  const response = await began.promise
  const stopped = stopServer(server, { receiver })
  response.end()
  expect(await result).toBe(200)
  await stopped
  expect(server.listening).toBe(false)
})

test('stops the receiver after half of the time, and closes connections at its end', async () => {
  const receiver = createStoppable()
  const began = Promise.withResolvers<ServerResponse>()
  const { server, send } = await listen(began.resolve)
  const result = send()
  await began.promise

  await stopServer(server, { receiver, maxMs: 400 })

  expect(receiver.maxMs).toBeGreaterThan(0)
  // A timer of Node.js may fire up to 1 ms early.
  expect(receiver.maxMs).toBeLessThanOrEqual(201)
  expect(await result).toBe('ECONNRESET')
})

test('still serves requests during drainMs, and closes each connection after its response', async () => {
  const receiver = createStoppable()
  const { server, send } = await listen((response) =>
    response.writeHead(receiver.isStopped ? 503 : 200).end(),
  )
  let connections = 0
  server.on('connection', () => connections++)
  const stopped = stopServer(server, { receiver, drainMs: 300 })
  const results: (number | string)[] = []
  while (!receiver.isStopped) results.push(await send())
  await stopped

  // The last one may have begun when the drain ended.
  const served = results.slice(0, -1)
  expect(new Set(served)).toEqual(new Set([200]))
  expect(connections).toBeGreaterThanOrEqual(served.length)
})

test('refuses a time that is not above 0', async () => {
  const { server } = await listen(() => {})
  await expect(stopServer(server, { receiver: createStoppable(), maxMs: 0 })).rejects.toThrow(
    'maxMs must be above 0, not 0',
  )
})

test('leaves no timer, which would keep the process running', async () => {
  const count = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const { server } = await listen((response) => response.end())
  const before = count()
  await stopServer(server, { receiver: createStoppable() })
  // One of an earlier test may end meanwhile.
  expect(count()).toBeLessThanOrEqual(before)
})

test('stops under fake timers, although a request does not end', async () => {
  const receiver = createStoppable()
  const began = Promise.withResolvers<ServerResponse>()
  const { server, send } = await listen(began.resolve)
  const result = send()
  await began.promise
  const stop = vi.fn(async () => {})
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  await stopServer(server, { receiver: { ...receiver, stop }, maxMs: 200, drainMs: 1 })
  expect([await result, server.listening]).toEqual(['ECONNRESET', false])
  expect(stop).toHaveBeenCalled()
})
