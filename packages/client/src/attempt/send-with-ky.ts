import defaultKy, { type Options } from 'ky'
import type { ApiCall } from '../api-call.ts'
import type { Fetch, FetchInit } from '../options/fetch.ts'
import type { Settings } from '../options/settings.ts'
import { throwIfAborted } from './race-abort.ts'

/** What one exchange needs besides the settings and the call. */
export type Exchange = {
  readonly headers: Headers
  readonly signal: AbortSignal
  /** Runs right before the request is sent. If it did not run, nothing was sent. */
  readonly onSend: () => void
}

/** What ky leaves to the client: it cannot wait on an injected clock, nor tell which requests may be repeated. */
const duties = { retry: 0, timeout: false, totalTimeout: false, throwHttpErrors: false } as const

const isResponse = (value: unknown): value is Response => typeof Object(value).text === 'function'

/** `fetch` gets a URL and plain options: undici and node-fetch refuse a `Request` of the platform. */
const callFetch = async (fetch: Fetch, url: string, init: FetchInit): Promise<Response> => {
  const response = await fetch(url, init)
  if (!isResponse(response)) throw new TypeError('fetch did not return a Response')
  return response
}

/**
 * Sends a request with ky. The user's instance builds it. The default one only passes it on: building a `Request` copies
 * the body, and needs globals that React Native lacks.
 */
export const sendWithKy = (
  { baseUrl, ky, fetch }: Settings,
  { method, path, body }: ApiCall<unknown>,
  { headers, signal, onSend }: Exchange,
): Promise<Response> => {
  const url = baseUrl + path
  const init: FetchInit = {
    method,
    headers: Object.fromEntries(headers),
    signal,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  }
  const start = () => {
    throwIfAborted(signal)
    onSend()
  }
  if (!ky) {
    const send = async () => {
      const anyFetch: Fetch | undefined = fetch ?? globalThis.fetch
      if (!anyFetch) throw new TypeError('this runtime has no fetch: pass one to createClient')
      start()
      return callFetch(anyFetch, url, init)
    }
    return defaultKy(url, { ...duties, fetch: send })
  }
  const options = { ...init, ...duties, hooks: { beforeRequest: [start] } }
  if (!fetch) return ky(new URL(url), options)
  const send: Options['fetch'] = async (input) => {
    const request = new Request(input)
    const sent = { ...init, headers: Object.fromEntries(request.headers) }
    return callFetch(fetch, request.url, body === undefined ? sent : { ...sent, body: await request.text() })
  }
  return ky(new URL(url), { ...options, fetch: send })
}
