import { computed, signal } from '@preact/signals'
import type { ServerInfo } from '@wabakit/server/control-types'
import type { Issue } from '@wabakit/wire'
import { controlPath, type Query, toSearch, views } from '../state/route.ts'
import { requireToken, token } from '../state/session.ts'
import { ApiError } from './api-error.ts'

/** The server's version and permissions, or `undefined` until they are loaded. */
export const info = signal<ServerInfo | undefined>(undefined)

/** The views that the host has. Only a mock has the one for tests. */
export const offered = computed(() =>
  views.filter((name) => name !== 'mock' || info.value?.can.includes('mock') === true),
)

export const loadInfo = async (): Promise<void> => {
  info.value = await send<ServerInfo>(['info'])
}

/** The segments of a path of the control API below `/_wabakit`, not encoded yet. */
export type Path = readonly string[]

export type SendOptions = {
  /** @default 'POST' with a body, 'GET' without one */
  readonly method?: 'PATCH' | 'DELETE'
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

const readError = async (response: Response): Promise<ApiError> => {
  const text = await response.text()
  try {
    const { message = text, issues = [] }: { message?: string; issues?: Issue[] } = JSON.parse(text)
    return new ApiError(response.status, message, { issues })
  } catch {
    return new ApiError(response.status, text.slice(0, 300) || response.statusText)
  }
}

/** Sends requests to the host. The viewer of a trace, whose host is in the page itself, replaces it. */
export const host = { fetch: (url: string, init: RequestInit): Promise<Response> => fetch(url, init) }

/** @throws ApiError if there is no response, or the response reports an error; the error of `fetch` if `signal` is aborted. */
export const request = async (path: Path, options: SendOptions = {}): Promise<Response> => {
  const { query = {}, body, method = body === undefined ? 'GET' : 'POST', headers, signal } = options
  const sent = token.value
  let response: Response
  try {
    response = await host.fetch(`${controlPath}${path.map(encodeURIComponent).join('/')}${toSearch(query)}`, {
      method,
      headers: {
        ...(sent !== '' && { authorization: `Bearer ${sent}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ApiError(0, 'The server does not respond. Is it still running?', { cause })
  }
  if (response.ok) return response
  if (response.status === 401) requireToken(sent)
  throw await readError(response)
}

/**
 * Sends a request and parses the JSON in the response. It is not validated, because the page and the server
 * have the same version.
 */
export const send = async <Result>(path: Path, options: SendOptions = {}): Promise<Result> => {
  const response = await request(path, options)
  return response.status === 204 ? (undefined as Result) : response.json()
}
