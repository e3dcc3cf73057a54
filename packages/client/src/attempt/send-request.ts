import { createByteCollector } from '@wabakit/wire'
import ky, { isNetworkError } from 'ky'
import type { ApiCall } from '../api-call.ts'
import type { Fetch, FetchInit } from '../options/client-options.ts'
import type { Settings } from '../options/settings.ts'
import { raceAbort, throwIfAborted } from './abort.ts'

type OutgoingRequest = {
  readonly headers: Headers
  readonly signal: AbortSignal
  /** Runs right before the request is sent. If it did not run, nothing was sent. */
  readonly onSend: () => void
}

/**
 * Turns off what this client does itself: time limits, errors for statuses, and retries. ky's time limits and
 * retries would ignore the injected clock, and ky does not know which requests are safe to repeat.
 */
const duties = { retry: 0, timeout: false, totalTimeout: false, throwHttpErrors: false } as const

/**
 * Sends a request with ky. Only the function that it gets as `fetch` has the body and the headers: a
 * `Request` that ky built from them would copy the body and need globals that React Native lacks, and undici
 * and node-fetch would reject it.
 */
const sendWithKy = (
  { baseUrl, fetch }: Settings,
  { method, path, body }: ApiCall<unknown>,
  { headers, signal, onSend }: OutgoingRequest,
): Promise<Response> => {
  const url = baseUrl + path
  const init: FetchInit = {
    method,
    headers: Object.fromEntries(headers),
    signal,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  }
  const send = async () => {
    const anyFetch: Fetch | undefined = fetch ?? globalThis.fetch
    if (!anyFetch) throw new TypeError('this runtime has no fetch: pass one to createClient')
    throwIfAborted(signal)
    onSend()
    const response: unknown = await anyFetch(url, init)
    if (typeof Object(response).text !== 'function') throw new TypeError('fetch did not return a Response')
    return response as Response
  }
  return ky(url, { ...duties, fetch: send })
}

const sendAbortably = async (
  settings: Settings,
  call: ApiCall<unknown>,
  request: OutgoingRequest,
): Promise<Response> => {
  const pending = sendWithKy(settings, call, request)
  try {
    return await raceAbort(request.signal, pending)
  } catch (error) {
    // Discards the response if a fetch that ignores its signal resolves later.
    pending.then((late) => late.body?.cancel()).catch(() => {})
    // ky wraps some errors of fetch, whose codes tell whether anything was sent.
    throw isNetworkError(error) ? error.cause : error
  }
}

/** Maximum size of a successful response's body, in bytes: many times the size of a summary. */
const successBodyLimit = 1_048_576
/** Maximum size of any other body, in bytes. The rest is dropped. */
export const errorBodyLimit = 65_536

/** The part of a body that was received. */
type ReadBody = {
  readonly text: string
  /** Why the rest is missing: the limit was reached, or reading failed with `error`. */
  readonly cut?: 'limit' | { readonly error: unknown }
}

/** Reads a body that is not a web stream, as in React Native and node-fetch. Reads all of it, then drops the characters beyond the limit. */
const readText = async (response: Response, limit: number, signal: AbortSignal): Promise<ReadBody> => {
  try {
    const text = await raceAbort(signal, response.text())
    return text.length > limit ? { text: text.slice(0, limit), cut: 'limit' } : { text }
  } catch (error) {
    return { text: '', cut: { error } }
  }
}

/**
 * Reads at most `limit` bytes of a body that is a web stream as UTF-8 text, then closes the connection without waiting for
 * the rest. Stops when `signal` aborts, even if the stream ignores it. If reading fails, resolves to what was received. Collects the
 * chunks in one growing buffer, because text that is appended byte by byte takes many times its size in memory.
 */
const readBody = async (response: Response, limit: number, signal: AbortSignal): Promise<ReadBody> => {
  if (!response.body || !('getReader' in response.body)) return readText(response, limit, signal)
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  const bytes = createByteCollector()
  // A cut body may end within a character, which is dropped.
  const decode = (isCut: boolean) => new TextDecoder().decode(bytes.toBytes(), { stream: isCut })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      throwIfAborted(signal)
      if (done) return { text: decode(false) }
      const left = limit - bytes.length
      bytes.add(value.subarray(0, left))
      if (value.byteLength > left) {
        stop()
        return { text: decode(true), cut: 'limit' }
      }
    }
  } catch (error) {
    return { text: decode(true), cut: { error } }
  }
}

/** A response, and the received part of its body. */
export type Exchanged = ReadBody & {
  readonly response: Response
  /** Set if the body should contain data: for any 2xx, except a 202 about a pending summary. */
  readonly isSuccess: boolean
}

/**
 * Sends one request and reads its response. Rejects with the runtime's own error if there is no response, or
 * if reading the body of a successful GET fails. Any other response with an incomplete body is returned,
 * because the status and request id of a create request must not be lost.
 */
export const sendRequest = async (
  settings: Settings,
  call: ApiCall<unknown>,
  request: OutgoingRequest,
): Promise<Exchanged> => {
  const response = await sendAbortably(settings, call, request)
  const isGet = call.method === 'GET'
  const isPending = call.endpoint === 'calls.getSummary' && response.status === 202
  const isSuccess = response.ok && !isPending
  const body = await readBody(response, isSuccess ? successBodyLimit : errorBodyLimit, request.signal)
  if (isSuccess && isGet && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response, isSuccess }
}
