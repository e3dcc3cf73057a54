import type { IncomingMessage } from 'node:http'
import { createByteCollector } from '@wabakit/wire'
import type { RecordedRequest } from './recorded-request.ts'
import { pairHeaders } from './send-request.ts'

/** Maximum size of one body, and of all bodies that are being handled: far above what the vendor sends, far below what fits into memory. */
const maxBytes = 64 * 1024 * 1024

/**
 * Creates a reader of requests with their exact bytes. The bodies that are being handled have at most 64 MiB in
 * total, because strangers can reach the port through the tunnel.
 */
export const createRequestReader = () => {
  let heldBytes = 0
  /**
   * Reads a request, and handles it. Returns a status instead if its body is too large on its own (413) or together
   * with the others (503).
   *
   * @throws Error if the connection is lost before the end of the body.
   */
  return async <Result>(
    incoming: IncomingMessage,
    handle: (request: RecordedRequest) => Promise<Result>,
  ): Promise<Result | 413 | 503> => {
    let body = createByteCollector()
    let length = 0
    let heldLength = 0
    let fits = true
    try {
      for await (const chunk of incoming) {
        length += chunk.length
        fits &&= heldBytes + chunk.length <= maxBytes
        if (fits) {
          body.add(chunk)
          heldLength += chunk.length
          heldBytes += chunk.length
        } else {
          // Reads the rest as well: a sender that is still writing would not see the response.
          body = createByteCollector()
          heldBytes -= heldLength
          heldLength = 0
        }
      }
      if (!fits) return length > maxBytes ? 413 : 503
      const { method = 'GET', url: path = '/' } = incoming
      return await handle({
        method,
        path,
        headers: pairHeaders(incoming),
        body: Buffer.from(body.toBytes().buffer),
      })
    } finally {
      heldBytes -= heldLength
    }
  }
}
