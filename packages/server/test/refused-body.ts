import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'

type OpenRequest = {
  readonly socket: Socket
  /** The response so far. */
  received: string
  /** The code of the connection's error. */
  error?: string
}

/** Sends the head of a request. */
export const openRequest = (url: string, headers: readonly string[], method = 'POST'): OpenRequest => {
  const { port, pathname, host } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  const request: OpenRequest = { socket, received: '' }
  socket
    .on('data', (data) => {
      request.received += data
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      request.error = error.code ?? error.message
    })
  socket.write([`${method} ${pathname} HTTP/1.1`, `host: ${host}`, ...headers, '\r\n'].join('\r\n'))
  return request
}

/**
 * Sends a request with a large body as a proxy does, which goes on sending after the response. Resolves to the status, and to the
 * error of the connection if there was one. Repeats this if the process was stopped for the 2 seconds in which the rest is read.
 */
export const sendLargeBody = async (
  url: string,
  headers: readonly string[],
  method = 'POST',
): Promise<{ readonly status: number; readonly error: string | undefined }> => {
  // More than the mock reads, and little enough to arrive in time on a busy machine.
  const half = 2 * 1_048_576
  const request = openRequest(url, [...headers, `content-length: ${2 * half}`], method)
  const { socket } = request
  const sentAt = performance.now()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(Buffer.alloc(half, 'x'))
  await expect.poll(() => socket.closed || request.received.includes('\r\n\r\n')).toBe(true)
  socket.write(Buffer.alloc(half, 'x'))
  socket.end()
  await closed
  if (request.error !== undefined && performance.now() - sentAt > 2_000)
    return sendLargeBody(url, headers, method)
  return { status: Number(request.received.split(' ', 2)[1]), error: request.error }
}

/** Requests, of which the rest is sent only after a number of responses, as a proxy does. */
type Requests = { readonly first: string; readonly rest?: string; readonly responses?: number }

/** Sends requests on one connection. Resolves, when it is closed, to the responses, and to the error if there was one. */
export const sendUntilClosed = async (url: string, { first, rest = '', responses = 0 }: Requests) => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  let [received, error]: [string, string | undefined] = ['', undefined]
  const findHeads = (): readonly string[] => received.match(/HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/g) ?? []
  socket
    .on('data', (data) => {
      received += data
    })
    .on('error', (cause: NodeJS.ErrnoException) => {
      error = cause.code ?? cause.message
    })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(first)
  await expect.poll(() => socket.closed || findHeads().length >= responses).toBe(true)
  socket.end(rest)
  await closed
  const isLast = /^connection: close\r$/im.test(findHeads().at(-1) ?? '')
  return { statuses: findHeads().map((head) => Number(head.slice(9, 12))), isLast, error }
}
