import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { streamBody, takeBody } from './take-body.ts'

const tinyChunks = '1\r\nx\r\n'.repeat(20_000)

/** Sends chunks of one byte to a real server, whose handler starts late. Returns how many bytes node:http holds. */
const countHeld = async (take: (incoming: IncomingMessage) => unknown): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer((incoming) => {
    take(incoming)
    setImmediate(() => resolve(incoming.readableLength))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect(Object(server.address()).port, '127.0.0.1')
  try {
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${tinyChunks}`)
    return await promise
  } finally {
    socket.destroy()
    server.close()
  }
}

test('leaves no chunk in the request while nothing reads it', async () => {
  expect(await countHeld(() => {})).toBeGreaterThan(0)
  expect(await countHeld((incoming) => takeBody(incoming, 10))).toBe(0)
})

test('reads a body up to its limit, and one byte more of a longer one without waiting for its end', async () => {
  const body = new PassThrough()
  const read = takeBody(body, 4)
  body.write('ab')
  body.end('cd')
  expect(Buffer.from(await read()).toString()).toBe('abcd')

  const endless = new PassThrough()
  const readEndless = takeBody(endless, 4)
  endless.write('abcdefgh')
  endless.write('ijkl')
  expect(Buffer.from(await readEndless()).toString()).toBe('abcde')
  endless.destroy()
})

test('rejects a body whose connection was lost, before or after the read', async () => {
  const body = new PassThrough()
  const read = takeBody(body, 4)
  const early = read()
  body.destroy()
  await expect(early).rejects.toThrow('closed the connection')
  await expect(read()).rejects.toThrow('closed the connection')
})

test('makes a stream for a Fetch request, also of an empty body', async () => {
  for (const text of ['ab', '']) {
    const body = new PassThrough()
    const stream = streamBody(takeBody(body, 4))
    body.end(text)
    expect(await new Response(stream).text()).toBe(text)
  }
})
