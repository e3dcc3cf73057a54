import type { Issue } from '@wabakit/contract'
import { escapeControls } from '@wabakit/wire'
import { formatIssue } from '../control/control-error.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import { commandName, type ServerAddress } from './options.ts'
import { CliError, exitCodes } from './output.ts'

/** Sends requests to the control API of a running server. Paths are relative to `/_wabakit`. */
export type ControlClient = {
  /**
   * Sends a request and reads the JSON of the response.
   *
   * @throws CliError when the server cannot be reached or responds with an error.
   */
  send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown>
  /**
   * Requests a path without reading the response body.
   *
   * @throws CliError when the server cannot be reached or responds with an error.
   */
  open(path: string, options: { headers?: Record<string, string>; signal: AbortSignal }): Promise<Response>
}

const requestTimeoutMs = 15_000
const removalTimeoutMs = 3_600_000

/** Reads an error response's message, or one line per issue if there are several. */
export const readErrorMessage = async (response: Response): Promise<string> => {
  const text = (await response.text()).slice(0, 1_000)
  try {
    const { message, issues = [] }: { message: string; issues?: Issue[] } = JSON.parse(text)
    return issues.length > 1
      ? issues.map((issue) => `\n  ${escapeControls(formatIssue(issue))}`).join('')
      : escapeControls(message)
  } catch {
    return escapeControls(text === '' ? response.statusText : text)
  }
}

/**
 * Checks that a secret is not sent to another machine over plain http.
 *
 * @throws CliError
 */
export const checkSecrecy = (url: string, secret: string): void => {
  const { protocol, hostname, host } = new URL(url)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return
  throw new CliError(
    `${host} is another machine, and over http the network could read ${secret}. Use https, run the command on that machine, or forward a port with ssh.`,
    exitCodes.usage,
  )
}

const blockedPort = 'browsers and fetch block this port, so choose another one'

/** Returns the message of an error thrown by `fetch`. The reason is in its cause. */
export const getFetchMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // undici's message for a port blocked by the Fetch standard.
  if (error.cause instanceof Error && error.cause.message === 'bad port') return blockedPort
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}

export const createControlClient = ({ server, controlToken }: ServerAddress): ControlClient => {
  if (controlToken !== undefined) checkSecrecy(server, 'the control token')
  const base = `${server}/_wabakit`

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (controlToken !== undefined) headers.set('authorization', `Bearer ${controlToken}`)
    let response: Response
    try {
      response = await fetch(base + path, { ...init, headers, redirect: 'error' })
    } catch (error) {
      if (init.signal?.aborted && init.signal.reason?.name !== 'TimeoutError') throw error
      const reason = getFetchMessage(error)
      const start = `${commandName} serve${reason === blockedPort ? ' --port 4100' : ''}`
      throw new CliError(
        `Cannot reach a server at ${server}: ${escapeControls(reason)}. Start one with: ${start}`,
        exitCodes.unreachable,
        { cause: error },
      )
    }
    if (response.ok) return response
    const message = await readErrorMessage(response)
    const gap = message.startsWith('\n') ? '' : ' '
    throw new CliError(`The server rejected the request (${response.status}):${gap}${message}`)
  }

  return {
    send: async (method, path, body) => {
      // A removal may take a long time, and continues even if the client stops waiting.
      const timeoutMs = method === 'DELETE' ? removalTimeoutMs : requestTimeoutMs
      const init: RequestInit = { method, signal: AbortSignal.timeout(timeoutMs) }
      if (body !== undefined) {
        init.body = JSON.stringify(body)
        init.headers = { 'content-type': 'application/json' }
      }
      const response = await request(path, init)
      if (response.status === 204) return undefined
      try {
        return await response.json()
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause
        const message = `${server} is not a wabakit server: its response is not JSON. Check --server.`
        throw new CliError(message, exitCodes.failed, { cause })
      }
    },
    open: (path, { headers = {}, signal }) => request(path, { headers, signal }),
  }
}

export const getOrganizationPath = (id: string): string => `/organizations/${encodeURIComponent(id)}`
