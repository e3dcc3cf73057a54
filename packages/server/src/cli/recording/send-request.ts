import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { resolver } from '@wabakit/webhooks/names'
import type { RecordedRequest } from './recorded-request.ts'

export type ReceivedResponse = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** Headers that belong to one connection (RFC 9110, section 7.6.1), or that every sender sets itself. */
const connectionHeaders = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['host', 'content-length', 'expect'],
]

/** Returns the headers of a message as received: in order, with their case and repetitions. */
export const pairHeaders = ({ rawHeaders }: IncomingMessage): [name: string, value: string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )

export const dropConnectionHeaders = (headers: RecordedRequest['headers']): [string, string][] =>
  headers.flatMap(([name, value]): [string, string][] =>
    connectionHeaders.includes(name.toLowerCase()) ? [] : [[name, value]],
  )

/** Returns the URL that gets a request: `target`, or the request's path on it if `target` has neither a path nor a query. */
export const resolveTarget = (target: string, path: string): URL => {
  const url = new URL(target)
  return url.pathname === '/' && url.search === '' && path.startsWith('/') ? new URL(url.origin + path) : url
}

const timeoutMs = 30_000

/**
 * Sends a request with its exact bytes, which `fetch` cannot do for a GET with a body.
 *
 * @throws Error if the connection fails or switches protocols, or there is no complete response within 30 s.
 */
export const sendRequest = (
  { method, headers, body }: RecordedRequest,
  url: URL,
): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const pairs = [
      ['Host', url.host],
      ...dropConnectionHeaders(headers),
      ...(body.length > 0 || method === 'POST' ? [['Content-Length', String(body.length)]] : []),
    ]
    const signal = AbortSignal.timeout(timeoutMs)
    const lookup = resolver.createLookup(signal)
    const options = { method, headers: pairs.flat(), agent: false as const, signal, lookup }
    const fail = (error: Error): void =>
      reject(signal.aborted ? new Error(`no complete response within ${timeoutMs / 1_000} s`) : error)
    const request = send(url, options, (response) => {
      buffer(response).then(
        (received) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: dropConnectionHeaders(pairHeaders(response)),
            body: received,
          }),
        fail,
      )
    })
    request.on('error', fail)
    // Without a listener, node:http closes the connection, and reports neither a response nor an error.
    request.on('upgrade', (_, socket) => {
      socket.destroy()
      fail(new Error('the endpoint switched to another protocol (101), for which nothing had asked'))
    })
    request.end(body)
  })
