import type { Issue } from '@wabakit/contract'
import type { Operation } from '@wabakit/core/control'
import { formatIssue } from '@wabakit/core/hosting'
import { escapeControls, readText } from '@wabakit/wire'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import { checkNameServer } from './check-name-server.ts'
import { findDeviation } from './check-response.ts'
import { InputRefusedError } from './name-inputs.ts'
import { commandName, type ServerAddress } from './options.ts'
import { CliError, exitCodes } from './output.ts'

/** Far above a page of usual records. */
const maxBodyBytes = 64 * 1_048_576
const requestTimeoutMs = 15_000
const removalTimeoutMs = 3_600_000

type ErrorResponse = { readonly message: string; readonly issues: readonly Issue[] }

/** Reads an error response. Its message may be that of a proxy. */
const readError = async (response: Response): Promise<ErrorResponse> => {
  const text = ((await readText(response, maxBodyBytes).catch(() => undefined)) ?? '').slice(0, 10_000)
  try {
    const { message, issues = [] }: { message: string; issues?: Issue[] } = JSON.parse(text)
    return { message: escapeControls(message), issues }
  } catch {
    return { message: escapeControls(text === '' ? response.statusText : text.slice(0, 1_000)), issues: [] }
  }
}

export const readErrorMessage = async (response: Response): Promise<string> =>
  (await readError(response)).message

const explainToken = (given: string | undefined): string =>
  given === undefined
    ? 'The server asks for its control token. Set WABAKIT_CONTROL_TOKEN, or pass --control-token.'
    : 'The server has another control token. Check WABAKIT_CONTROL_TOKEN, or --control-token.'

/** Throws a CliError if a secret would be sent to another machine over plain http. */
export const checkSecrecy = (url: string, secret: string): void => {
  const { protocol, hostname, host } = new URL(url)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return
  throw new CliError(
    `${host} is another machine, and over http the network could read ${secret}. Use https, run the command on that machine, or forward a port with ssh.`,
    exitCodes.usage,
  )
}

const repeatWithCare = 'Check what has changed before you repeat the command.'
const blockedPort = 'browsers and fetch block this port, so choose another one'

/** Returns the reason of an error thrown by `fetch`, which is in its cause if it has one. */
export const getFetchMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // This is undici's message for a port that the Fetch standard blocks.
  if (error.cause instanceof Error && error.cause.message === 'bad port') return blockedPort
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}

/** The codes of errors after which a request may have reached the server. */
const sentCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** Returns whether a request may have reached the server, which then did not answer it. */
const wasSent = (error: unknown): boolean => {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } }
  return name === 'TimeoutError' || sentCodes.includes(cause?.code ?? '')
}

/** Like `fetch`, but without its limit of 5 minutes for the head of a response: the signal limits the time. */
const fetchPatiently = async (url: string, init: RequestInit): Promise<Response> => {
  const { EnvHttpProxyAgent, fetch, getGlobalDispatcher } = await import('undici')
  // Node.js 22 gives the proxy only to the undici that it contains, which is older than this one.
  const usesProxy = process.env.NODE_USE_ENV_PROXY === '1'
  const dispatcher = (usesProxy ? new EnvHttpProxyAgent() : getGlobalDispatcher()).compose(
    (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0 }, handler),
  )
  const options = { ...init, dispatcher }
  // Its types differ from those of the global `fetch`, although it can do the same.
  return (fetch as unknown as typeof globalThis.fetch)(url, options)
}

/**
 * Creates a client for the control API of a running server. Paths are relative to `/_wabakit`, or to a path
 * below it. Requests throw a CliError if the server cannot be reached or responds with an error. In the
 * latter case, the response is its cause.
 */
export const createControlClient = ({ server, controlToken }: ServerAddress, below = '') => {
  if (controlToken !== undefined) checkSecrecy(server, 'the control token')
  const base = `${server}/_wabakit${below}`

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (controlToken !== undefined) headers.set('authorization', `Bearer ${controlToken}`)
    let response: Response
    try {
      await checkNameServer(server)
      const send = init.method === 'DELETE' ? fetchPatiently : fetch
      response = await send(base + path, { ...init, headers, redirect: 'error' })
    } catch (error) {
      if (init.signal?.aborted && init.signal.reason?.name !== 'TimeoutError') throw error
      const reason = getFetchMessage(error)
      const start = `${commandName} serve${reason === blockedPort ? ' --port 4100' : ''}`
      const message = wasSent(error)
        ? `${server} did not answer: ${escapeControls(reason)}. ${repeatWithCare}`
        : `Cannot reach a server at ${server}: ${escapeControls(reason)}. Start one with: ${start}`
      throw new CliError(message, exitCodes.unreachable, { cause: error })
    }
    if (response.ok) return response
    const { message, issues } = await readError(response)
    const options = { cause: response }
    if (response.status === 401) throw new CliError(explainToken(controlToken), exitCodes.usage, options)
    if (response.status === 400 && issues.length > 0)
      throw new InputRefusedError(issues.map(formatIssue).join('\n'), issues, options)
    const remedy = message.startsWith('There is no organization')
      ? ' Name one of the server with --organization or WABAKIT_ORGANIZATION.'
      : ''
    throw new CliError(
      `The server rejected the request (${response.status}): ${message}${remedy}`,
      exitCodes.failed,
      options,
    )
  }

  const refuseForeign = (deviation: string, cause?: unknown): never => {
    const message = `${server} is not a wabakit server of this version: ${escapeControls(deviation)}. Check --server.`
    throw new CliError(message, exitCodes.failed, { cause })
  }

  /** @throws CliError when the response is too long or incomplete, or has another form than that of the operation. */
  const readJson = async (
    method: Operation['method'],
    path: string,
    response: Response,
  ): Promise<unknown> => {
    let value: unknown
    try {
      const text = response.status === 204 ? '' : await readText(response, maxBodyBytes)
      if (text === undefined) throw new Error(`The response is longer than ${maxBodyBytes} bytes.`)
      value = response.status === 204 ? undefined : JSON.parse(text)
    } catch (cause) {
      if (cause instanceof SyntaxError) return refuseForeign('its response is not JSON', cause)
      const message = `The response of ${server} ended early: ${escapeControls(getFetchMessage(cause))}. ${repeatWithCare}`
      throw new CliError(message, exitCodes.failed, { cause })
    }
    const { status } = response
    const deviation = await findDeviation({ method, path: below + path, status, value })
    return deviation === undefined
      ? value
      : refuseForeign(`of its response to ${method} ${base}${path}, ${deviation}`)
  }

  return {
    /** Sends a request and reads the JSON of the response. */
    send: async (method: Operation['method'], path: string, body?: unknown): Promise<unknown> => {
      // A removal may take a long time, and continues even if the client stops waiting.
      const timeoutMs = method === 'DELETE' ? removalTimeoutMs : requestTimeoutMs
      const response = await request(path, {
        method,
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      return readJson(method, path, response)
    },
    /** Opens a stream of messages. The time limit is for opening it. */
    openStream: async (path: string, init: RequestInit & { readonly signal: AbortSignal }) => {
      const [limit, opened] = [new AbortController(), new AbortController()]
      const timeout = AbortSignal.timeout(requestTimeoutMs)
      timeout.addEventListener('abort', () => limit.abort(timeout.reason), { signal: opened.signal })
      try {
        const signal = AbortSignal.any([init.signal, limit.signal])
        const response = await request(path, { ...init, signal })
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
        await response.body?.cancel()
        return refuseForeign('its response is not a stream of messages')
      } finally {
        opened.abort()
      }
    },
  }
}

export type ControlClient = ReturnType<typeof createControlClient>

export const createOrganizationClient = ({
  organization,
  ...address
}: ServerAddress & { readonly organization: string }): ControlClient =>
  createControlClient(address, `/organizations/${encodeURIComponent(organization)}`)
