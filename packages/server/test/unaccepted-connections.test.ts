import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { stopServer } from '@wabakit/webhooks/node'
import { expect, test } from 'vitest'
import { start } from './fixture.ts'

/** Opens connections in another thread, each with a request, and posts the first lines of their responses. */
const client = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, count, sent } } = require('node:worker_threads')
const open = () => new Promise((resolve) => {
  let received = ''
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /healthz HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n')
    Atomics.add(sent, 0, 1)
    Atomics.notify(sent, 0)
  })
  socket.on('data', (data) => { received += data }).on('error', (error) => { received = error.code })
  socket.on('close', () => resolve(received.split('\\r\\n')[0]))
})
Promise.all(Array.from({ length: count }, open)).then((lines) => parentPort.postMessage(lines))
`

/** Calls `stop` while the requests of 20 connections have arrived at the system, but not yet at this process. */
const stopBeforeAccepting = async (url: string, stop: () => Promise<void>): Promise<string[]> => {
  const [count, sent] = [20, new Int32Array(new SharedArrayBuffer(4))]
  const worker = new Worker(client, {
    eval: true,
    workerData: { port: Number(new URL(url).port), count, sent },
  })
  const lines = new Promise<string[]>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  )
  // Blocks this thread, so that it accepts nothing.
  for (let number = 0; number < count; number = Atomics.load(sent, 0)) Atomics.wait(sent, 0, number)
  await stop()
  return lines
}

const served = Array(20).fill('HTTP/1.1 200 OK')

test('a server that stops serves the connections that it has not accepted yet', async () => {
  const { url, close } = await start()
  expect(await stopBeforeAccepting(url, close)).toEqual(served)
})

test('stopServer serves the connections that are not accepted yet', async () => {
  const server = createServer((_request, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${Object(server.address()).port}`
  const receiver = { stop: async () => {} }
  expect(await stopBeforeAccepting(url, () => stopServer(server, { receiver }))).toEqual(served)
})

type Stoppable = { readonly url: string; readonly stop: () => Promise<void> }

const request = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'

/**
 * Opens two connections, of which the second has had a response, calls `stop`, and sends a request on each some turns of the event
 * loop later, which are read long after, as if the process was stopped. Returns the first lines of each connection's responses.
 * Repeats this with a new server while the requests were not sent within the 50 ms for which a stop waits, as on a busy machine.
 */
const stopBeforeRequests = async (open: () => Promise<Stoppable>): Promise<unknown> => {
  const { url, stop } = await open()
  const [unused, used] = [connect(Number(new URL(url).port)), connect(Number(new URL(url).port))]
  const responses = [unused, used].map((socket) => text(socket).catch(String))
  await once(unused, 'connect')
  used.write(request)
  // By this response, both are accepted.
  await once(used, 'readable')
  const stoppedAt = performance.now()
  const stopped = stop()
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  for (const socket of [unused, used]) socket.write(request)
  const isLate = performance.now() - stoppedAt > 40
  // Blocks this thread for more than the 500 ms in which a new connection may send its first request.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
  await stopped
  const lines = (await Promise.all(responses)).map((response) => response.match(/HTTP.+|.*Error.+/g))
  return isLate ? stopBeforeRequests(open) : lines
}

const [ok] = served
const answered = [[ok], [ok, ok]]

test('a server that stops serves requests that are on their way', async () => {
  const open = async () => {
    const { url, close } = await start()
    return { url, stop: close }
  }
  expect(await stopBeforeRequests(open)).toEqual(answered)
})

test('stopServer serves requests that are on their way', async () => {
  const open = async () => {
    const server = createServer((_request, response) => response.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const receiver = { stop: async () => {} }
    const url = `http://127.0.0.1:${Object(server.address()).port}`
    return { url, stop: () => stopServer(server, { receiver }) }
  }
  expect(await stopBeforeRequests(open)).toEqual(answered)
})
