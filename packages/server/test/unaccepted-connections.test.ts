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

/**
 * Opens a connection, calls `stop`, and sends a request some turns of the event loop later. Returns the first line of the response.
 * Repeats this with a new server while the request was not sent within the 50 ms for which a stop waits, as on a busy machine.
 */
const stopBeforeRequest = async (open: () => Promise<Stoppable>): Promise<string | undefined> => {
  const { url, stop } = await open()
  const [first, socket] = [connect(Number(new URL(url).port)), connect(Number(new URL(url).port))]
  await once(socket, 'connect')
  const response = text(socket).catch(String)
  // By the response to another one, both are accepted.
  first.end('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  await text(first)
  const stoppedAt = performance.now()
  const stopped = stop()
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const isLate = performance.now() - stoppedAt > 40
  await stopped
  const [line] = (await response).split('\r\n')
  return isLate ? stopBeforeRequest(open) : line
}

test('a server that stops serves a request that is on its way', async () => {
  const open = async () => {
    const { url, close } = await start()
    return { url, stop: close }
  }
  expect(await stopBeforeRequest(open)).toBe('HTTP/1.1 200 OK')
})

test('stopServer serves a request that is on its way', async () => {
  const open = async () => {
    const server = createServer((_request, response) => response.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const receiver = { stop: async () => {} }
    const url = `http://127.0.0.1:${Object(server.address()).port}`
    return { url, stop: () => stopServer(server, { receiver }) }
  }
  expect(await stopBeforeRequest(open)).toBe('HTTP/1.1 200 OK')
})
