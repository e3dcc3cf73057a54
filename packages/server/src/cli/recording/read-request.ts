import type { IncomingMessage } from 'node:http'
import { createByteCollector } from '@wabakit/wire'
import type { RecordedRequest } from './recorded-request.ts'
import { pairHeaders } from './send-request.ts'

/** Far above what the vendor sends, and far below what fits into memory. */
const maxBodyBytes = 64 * 1024 * 1024

/**
 * Reads a request with its exact bytes. Returns `undefined` if the body has more than 64 MiB.
 *
 * @throws Error if the connection is lost before the end of the body.
 */
export const readRequest = async (incoming: IncomingMessage): Promise<RecordedRequest | undefined> => {
  let body = createByteCollector()
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    // Reads the rest as well: a sender that is still writing would not see the response.
    if (length <= maxBodyBytes) body.add(chunk)
    else body = createByteCollector()
  }
  if (length > maxBodyBytes) return undefined
  const { method = 'GET', url: path = '/' } = incoming
  return { method, path, headers: pairHeaders(incoming), body: Buffer.from(body.toBytes().buffer) }
}
