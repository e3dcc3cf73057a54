import { request as sendHttp } from 'node:http'
import type { Readable } from 'node:stream'

type Init = {
  method?: string
  headers?: Headers | Record<string, string>
  body?: string | Readable | null
  signal?: AbortSignal | null
  redirect?: 'follow' | 'manual' | 'error'
}

/** A response like node-fetch's: its own class, whose body is a Node stream. */
class NodeFetchResponse {
  readonly [Symbol.toStringTag] = 'Response'
  readonly status: number
  readonly headers: Headers
  readonly body: Readable

  constructor(status: number, headers: Headers, body: Readable) {
    this.status = status
    this.headers = headers
    this.body = body
  }

  get ok() {
    return this.status >= 200 && this.status < 300
  }

  async text(): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of this.body) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks).toString()
  }
}

/**
 * Sends a request as node-fetch does: it takes a URL, converts everything else to a string, and needs no web streams.
 */
export const nodeFetch = (
  input: URL | string | { href: string },
  init: Init = {},
): Promise<NodeFetchResponse> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, signal } = init
    const url = new URL(String(input))
    const options = { method, headers: { ...headers } as Record<string, string>, ...(signal && { signal }) }
    const outgoing = sendHttp(url, options, (incoming) => {
      const received = new Headers()
      for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
        for (const value of values) received.append(name, value)
      }
      resolve(new NodeFetchResponse(incoming.statusCode ?? 0, received, incoming))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
