import { type ByteCollector, createByteCollector, createStream } from '@wabakit/wire'

/** The part of node:http's IncomingMessage that has a body. */
type Incoming = {
  on(name: 'data', listener: (chunk: Uint8Array) => void): Incoming
  on(name: 'end' | 'close', listener: () => void): Incoming
}

/**
 * Resolves to the body, or to the first `maxBytes + 1` bytes of a longer one. Rejects if the connection is
 * lost before the end of the body.
 */
export type ReadBody = () => Promise<ReturnType<ByteCollector['toBytes']>>

const lost = new Error('The client closed the connection.')

/**
 * Reads the chunks of a body as they arrive, before any code asks for them, and drops those beyond
 * `maxBytes`. Otherwise, node:http would buffer them while the request waits for a database or a file: at
 * most 64 KiB per connection, but each chunk of one byte is an object of about 200 bytes. Unauthenticated
 * senders could fill 600 MB with 60 connections.
 */
export const takeBody = (incoming: Incoming, maxBytes: number): ReadBody => {
  const bytes = createByteCollector()
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<ByteCollector['toBytes']>>()
  promise.catch(() => {}) // A lost body may have no reader.
  incoming.on('data', (chunk) => {
    const room = maxBytes + 1 - bytes.length
    if (room <= 0) return
    bytes.add(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (bytes.length > maxBytes) resolve(bytes.toBytes())
  })
  incoming.on('end', () => resolve(bytes.toBytes()))
  incoming.on('close', () => reject(lost))
  return () => promise
}

/** Returns a body as the stream of a Fetch request. */
export const streamBody = (readBody: ReadBody): ReadableStream<ReturnType<ByteCollector['toBytes']>> =>
  createStream({
    pull: async (controller) => {
      const bytes = await readBody()
      if (bytes.length > 0) controller.enqueue(bytes)
      controller.close()
    },
  })
