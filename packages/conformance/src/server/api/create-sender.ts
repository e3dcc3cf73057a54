import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ApiRequest,
  type ApiResponse,
  type Exchange,
  type KeyName,
  parseJson,
  unknownKey,
} from './api-request.ts'

/** The part of `fetch` that the examiner uses. @inline */
export type ExaminerFetch = (url: string, init: RequestInit) => Promise<Response>

export type SenderContext = {
  readonly baseUrl: string
  readonly authHeader: string
  readonly apiKey: string | undefined
  readonly otherKey: string | undefined
  /** Maximum duration of one request, in milliseconds. */
  readonly timeoutMs: number
  readonly fetch: ExaminerFetch
}

/** Sends requests to the server under examination and records every exchange. */
export type Sender = {
  /** Sends a request. Never rejects. After a 429, waits and retries a few times, unless `once` is set. */
  send(request: ApiRequest, options?: { readonly once?: boolean }): Promise<Exchange>
  /** Every exchange so far, oldest first. */
  readonly exchanges: readonly Exchange[]
}

const maxWaits = 5
const maxWaitMs = 5_000

const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}

export const createSender = (context: SenderContext): Sender => {
  const { baseUrl, authHeader, apiKey, otherKey, timeoutMs, fetch } = context
  const exchanges: Exchange[] = []
  const keys: Readonly<Record<KeyName, string | undefined>> = {
    api: apiKey,
    other: otherKey,
    unknown: unknownKey,
    empty: '',
    none: undefined,
  }

  const exchange = async (request: ApiRequest): Promise<ApiResponse> => {
    const { method, path, key, keyPrefix = '', contentType, body } = request
    const headers = new Headers()
    const keyText = keys[key]
    if (keyText !== undefined) headers.set(authHeader, keyPrefix + keyText)
    if (contentType !== undefined) headers.set('content-type', contentType)
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const init = {
        method,
        headers,
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body }),
      } as const
      const response = await fetch(baseUrl + path, init)
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parseJson(text) }
    } catch (error) {
      return { status: 0, headers: new Headers(), text: describeFailure(error), json: undefined }
    }
  }

  const send: Sender['send'] = async (request, { once = false } = {}) => {
    for (let waits = 0; ; waits += 1) {
      const sent = { request, response: await exchange(request) }
      exchanges.push(sent)
      const { status, headers } = sent.response
      if (status !== 429 || once || waits === maxWaits) return sent
      const seconds = Number(headers.get('retry-after') ?? 1)
      await sleep(Math.min(maxWaitMs, Number.isFinite(seconds) ? Math.max(0.05, seconds) * 1_000 : 1_000))
    }
  }
  return { send, exchanges }
}
