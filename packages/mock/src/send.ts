import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { resolver } from '@wabakit/webhooks/names'
import { createStream } from '@wabakit/wire'

/** Statuses whose `Response` must have no body (Fetch, "null body status"). */
const emptyStatuses = [204, 205, 304]

const toStream = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming[Symbol.asyncIterator]()
  return createStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void incoming.destroy(),
  })
}

/**
 * Sends a request over HTTP. `fetch` of Node.js fails after a 100 Continue that it did not ask for, as IIS and
 * some proxies send it, and refuses some ports.
 */
export const send = async ({ url, method, headers, body, signal }: Request): Promise<Response> => {
  const bytes = new Uint8Array(await new Response(body).arrayBuffer())
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp
    const fields = { ...Object.fromEntries(headers), 'content-length': bytes.length }
    const lookup = resolver.createLookup(signal)
    const outgoing = request(url, { method, headers: fields, agent: false, lookup }, (incoming) => {
      const { statusCode: status = 0, statusMessage: statusText = '', headersDistinct } = incoming
      const received = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      )
      if (emptyStatuses.includes(status)) incoming.resume()
      try {
        const content = emptyStatuses.includes(status) ? null : toStream(incoming)
        resolve(new Response(content, { status, statusText, headers: received }))
      } catch (error) {
        // `Response` rejects some statuses, such as 999.
        reject(error)
        incoming.destroy()
      }
    })
    outgoing.on('error', reject)
    const abort = (): void => void outgoing.destroy(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    outgoing.once('close', () => {
      signal.removeEventListener('abort', abort)
      // The endpoint switched protocols, which ends a request without an error.
      reject(new Error('no response'))
    })
    outgoing.end(bytes)
  })
}
