import { escapeControls } from '@wabakit/contract/escape-controls'
import { CliError, exitCodes } from './cli-error.ts'

/** How to reach a running server's control API. */
export type ServerAddress = {
  /** Base URL of the server. */
  readonly server: string
  /** Its control token, if it has one. */
  readonly controlToken?: string | undefined
}

/** Sends requests to the control API of a running server. */
export type ControlClient = {
  /**
   * Sends a request and reads its JSON.
   *
   * @param path - below `/_wabakit`.
   * @throws CliError when the server cannot be reached or refuses.
   */
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>
  /**
   * Opens a path and leaves its body to be read.
   *
   * @throws CliError when the server cannot be reached or refuses.
   */
  open(path: string, options: { headers?: Record<string, string>; signal: AbortSignal }): Promise<Response>
}

const requestTimeoutMs = 15_000

/** What a response says went wrong; a line for each fault. */
export const sentenceOf = async (response: Response): Promise<string> => {
  const text = (await response.text()).slice(0, 1_000)
  try {
    const { message, issues = [] }: { message: string; issues?: { message: string }[] } = JSON.parse(text)
    // Of several faults the message tells the first only.
    return issues.length > 1
      ? issues.map((issue) => `\n  ${escapeControls(issue.message)}`).join('')
      : escapeControls(message)
  } catch {
    return escapeControls(text === '' ? response.statusText : text)
  }
}

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}

/** Makes a client of the control API. */
export const createControlClient = ({ server, controlToken }: ServerAddress): ControlClient => {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new CliError(
      `--server must be an http or https URL, not ${JSON.stringify(server)}.`,
      exitCodes.usage,
    )
  }
  const base = `${server.replace(/\/+$/, '')}/_wabakit`

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (controlToken !== undefined) headers.set('authorization', `Bearer ${controlToken}`)
    let response: Response
    try {
      response = await fetch(base + path, { ...init, headers, redirect: 'error' })
    } catch (error) {
      if (init.signal?.aborted && init.signal.reason?.name !== 'TimeoutError') throw error
      throw new CliError(
        `No server answers at ${server}: ${escapeControls(causeOf(error))}. Start one with: wabakit serve`,
        exitCodes.unreachable,
        { cause: error },
      )
    }
    if (response.ok) return response
    throw new CliError(`The server refused (${response.status}): ${await sentenceOf(response)}`)
  }

  return {
    send: async (method, path, body) => {
      const init: RequestInit = { method, signal: AbortSignal.timeout(requestTimeoutMs) }
      if (body !== undefined) {
        init.body = JSON.stringify(body)
        init.headers = { 'content-type': 'application/json' }
      }
      const response = await request(path, init)
      return response.status === 204 ? undefined : response.json()
    },
    open: (path, { headers = {}, signal }) => request(path, { headers, signal }),
  }
}
