import { type Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { resolver } from '@wabakit/webhooks/names'
import { createByteCollector } from '@wabakit/wire'
import type { ServedClock } from './served-clock.ts'

/** The method of an exchange of raw bytes that were written without an HTTP client. */
export const rawMethod = 'RAW'

/** A request as sent over the wire. @inline */
export type OutgoingRequest = {
  /** `RAW` if `body` is everything that was written, including the request line and headers. */
  readonly method: string
  /** A header with several values is sent as several lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array
  /** Sends the body in these parts, with a pause between them, and chunked unless a header states its length. */
  readonly parts?: readonly Uint8Array[] | undefined
  /** Keeps the connection for later requests with the same agent. @default a new connection */
  readonly agent?: Agent | undefined
  /** Replaces the path of the URL. */
  readonly path?: string | undefined
  /** Replaces the query of the URL: `?name=value`. */
  readonly query?: string | undefined
}

/** A request and its response. */
export type Exchange = {
  readonly request: OutgoingRequest
  /** Status of the response, or `undefined` if there was none. */
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The response body as text. Reading ends with the chunk that exceeds the limit. */
  readonly body: string
  /** Why there was no response. `undefined` if its status arrived. */
  readonly error: string | undefined
  /** Set if the complete response did not arrive in time. */
  readonly timedOut: boolean
  /** Set if a new connection was made. Not set for a request on a kept connection. */
  readonly connected: boolean
  readonly durationMs: number
}

/** Returns whether a response acknowledges the delivery. */
export const isAccepted = ({ status }: Exchange): boolean =>
  status !== undefined && status >= 200 && status < 300

/** Returns whether a response asks the sender to wait: 429 or 503. */
export const isLimited = ({ status }: Exchange): boolean => status === 429 || status === 503

/** Headers that identify common firewalls and content delivery networks. */
const firewallHeaders = [
  'cf-ray',
  'cf-mitigated',
  'x-amzn-waf-action',
  'x-sucuri-id',
  'x-iinfo',
  'x-akamai-request-id',
]
const firewallServers = /^(?:cloudflare|akamaighost|awselb|sucuri|imperva|bigip)/i

/**
 * Returns whether a firewall responded instead of the endpoint: the response is a 403 or 406, is an HTML
 * page, and names the firewall. The endpoint's own responses may have the same headers, but are seldom HTML.
 */
export const isFirewalled = ({ status, headers }: Pick<Exchange, 'status' | 'headers'>): boolean =>
  (status === 403 || status === 406) &&
  /^text\/html/i.test(headers['content-type'] ?? '') &&
  (firewallServers.test(headers.server ?? '') || firewallHeaders.some((name) => headers[name] !== undefined))

/** Returns whether a rate limit or a firewall responded, so the endpoint probably did not decide. */
export const isShielded = (exchange: Exchange): boolean => isLimited(exchange) || isFirewalled(exchange)

type SendLimits = {
  /** Time limit for the complete response, in milliseconds of the clock. */
  readonly timeoutMs: number
  readonly clock: ServedClock
  /** Explains the time limit in the error, for example "the time-out of a sender". */
  readonly waits?: string | undefined
  readonly signal: AbortSignal
  /** @default 64 KiB */
  readonly maxResponseBytes?: number
  /** Sets `error` also if a response was incomplete. @default false */
  readonly mustBeComplete?: boolean
}

const partPauseMs = 15
/** Maximum size of what is written at once, in bytes. */
export const pieceBytes = 262_144

const describeError = (error: Error & { code?: string }): string =>
  error.message || error.code || 'the connection failed'

/** Sends one request. Resolves to an exchange even if there is no response. Does not follow redirects. */
export const sendRequest = (url: URL, request: OutgoingRequest, limits: SendLimits): Promise<Exchange> =>
  new Promise((resolve) => {
    const target = new URL(url)
    if (request.path !== undefined) target.pathname = request.path
    if (request.query !== undefined) target.search = request.query
    const startedAt = limits.clock.now()
    const maxBytes = limits.maxResponseBytes ?? 65_536
    const received = createByteCollector()
    let head: Pick<Exchange, 'status' | 'headers'> = { status: undefined, headers: {} }
    let connected = false
    let settled = false
    let timedOut = false

    const { method, headers, body, parts } = request
    const length = parts === undefined ? { 'content-length': String(body.length) } : {}
    const values = Object.entries({ ...length, ...headers }).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ])
    const ended = new AbortController()
    const client = (url.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method,
      headers: Object.fromEntries(values),
      agent: request.agent ?? false,
      lookup: resolver.createLookup(ended.signal),
    })
    const settle = (error?: Error): void => {
      if (settled) return
      settled = true
      stopTimer()
      limits.signal.removeEventListener('abort', abort)
      client.destroy()
      ended.abort()
      resolve({
        request,
        ...head,
        body: new TextDecoder().decode(received.toBytes()),
        // The status of an incomplete response still reveals the endpoint's decision.
        error:
          error && (head.status === undefined || limits.mustBeComplete) ? describeError(error) : undefined,
        timedOut,
        connected,
        durationMs: limits.clock.now() - startedAt,
      })
    }
    const abort = (): void => settle(new Error('the check was over'))
    const stopTimer = limits.clock.after(limits.timeoutMs, () => {
      timedOut = true
      const waits = limits.waits === undefined ? '' : `, ${limits.waits}`
      settle(new Error(`no response within ${limits.timeoutMs} ms${waits}`))
    })
    limits.signal.addEventListener('abort', abort)
    if (limits.signal.aborted) abort()

    client.on('error', settle)
    client.on('socket', (socket) => {
      socket.once('connect', () => {
        connected = true
      })
    })
    client.on('response', (response) => {
      const lines = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
      head = { status: response.statusCode, headers: Object.fromEntries(lines) }
      response.on('data', (chunk: Buffer) => {
        received.add(chunk)
        if (received.length > maxBytes) settle(new Error(`the response has more than ${maxBytes} bytes`))
      })
      response.on('end', () => settle())
      response.on('error', settle)
      response.on('close', () => settle())
    })

    // Without a listener, node:http closes the connection, and reports neither a response nor an error.
    client.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      head = { status: statusCode, headers: {} }
      settle()
    })

    /** Yields the body in pieces, until the response begins or the exchange is over. */
    const listPieces = async function* () {
      for (const part of parts ?? [body]) {
        for (let at = 0; at < part.length; at += pieceBytes) {
          // Reads what has arrived before writing more: a write to a closed connection discards an unread response.
          await nextTurn()
          if (settled || head.status !== undefined) return
          yield part.subarray(at, at + pieceBytes)
        }
        if (parts !== undefined) await sleep(partPauseMs)
      }
    }
    Readable.from(listPieces()).pipe(client)
  })
