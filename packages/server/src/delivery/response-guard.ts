import type { Socket } from 'node:net'

/**
 * Maximum number of bytes that a connection may receive for one request, including interim responses, headers, chunk
 * sizes and their extensions, bodies and trailers. The HTTP client does not limit most of these, so an endpoint that
 * never stops sending could keep the process busy until the attempt times out.
 */
const maxResponseBytes = 1_048_576

/** The next bytes of an interim response end the connection if its head is unfinished and already longer than this. */
const maxHeadBytes = 16_384

const interimStatus = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
/** The length of a status line up to its status and the character after it. */
const statusLength = 'HTTP/1.1 100 '.length

/** Removes complete interim responses. `isKnown` is false if it is still unknown whether another one follows. */
const skipInterim = (bytes: Buffer): { readonly rest: Buffer; readonly isKnown: boolean } => {
  let rest = bytes
  for (;;) {
    if (rest.length < statusLength) return { rest, isKnown: false }
    if (!interimStatus.test(rest.toString('latin1', 0, statusLength))) return { rest, isKnown: true }
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { rest, isKnown: false }
    rest = rest.subarray(end + 4)
  }
}

/**
 * Limits what a socket receives for each request, and drops interim responses (1xx). A client must cope with those that
 * it did not ask for (RFC 9110, section 15.2), but the HTTP client ends the connection at a 100. A 101 is passed on and
 * fails the attempt, because no upgrade was requested.
 */
export const guardResponses = <Guarded extends Socket>(socket: Guarded): Guarded => {
  const readChunk = socket.read.bind(socket)
  let written = 0
  let received = 0
  /** The start of a response, while it may still be an interim response. */
  let start: Buffer | undefined

  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = readChunk(size)
      if (chunk === null) return null
      // Only one request at a time is sent on a connection, so what comes after a write belongs to the response to it.
      if (socket.bytesWritten !== written) {
        written = socket.bytesWritten
        received = 0
        start = Buffer.alloc(0)
      }
      received += chunk.length
      if (received > maxResponseBytes || (start?.length ?? 0) > maxHeadBytes) {
        socket.destroy(
          new Error(`the response has more than ${maxResponseBytes} bytes, or its head is too long`),
        )
        return null
      }
      if (start === undefined) return chunk
      const { rest, isKnown } = skipInterim(start.length === 0 ? chunk : Buffer.concat([start, chunk]))
      start = isKnown ? undefined : rest
      if (isKnown) return rest
    }
  }
  return socket
}
