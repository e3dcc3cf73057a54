import { setTimeout as sleep } from 'node:timers/promises'
import { readText } from '@wabakit/wire'
import type { ServerSettings } from '../settings.ts'
import {
  type ApiExchange,
  type ApiRequest,
  type ApiResponse,
  chooseKeyHeader,
  formatKey,
  listKeys,
  parseJson,
} from './api-request.ts'

const maxBodyBytes = 1_048_576
const maxWaits = 5
const maxWaitMs = 5_000

const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}

/** Creates a sender of requests to the server under examination, which records every exchange. */
export const createSender = (settings: ServerSettings) => {
  const { baseUrl, apiKey, otherKey, foreignKey, timeoutMs, fetch } = settings
  /** Every exchange so far, oldest first. */
  const exchanges: ApiExchange[] = []
  const keys = listKeys({ api: apiKey, other: otherKey, foreign: foreignKey })

  const exchange = async (request: ApiRequest): Promise<ApiResponse> => {
    const { method, path, contentType, body } = request
    const headers = new Headers()
    const keyText = formatKey(request, keys)
    if (keyText !== undefined) headers.set(chooseKeyHeader(path, settings), keyText)
    if (contentType !== undefined) headers.set('content-type', contentType)
    try {
      const init = { method, headers, body: body ?? null, signal: AbortSignal.timeout(timeoutMs) }
      const response = await fetch(baseUrl + path, { ...init, redirect: 'manual' })
      const text = await readText(response, maxBodyBytes)
      if (text === undefined) throw new Error(`the body is longer than ${maxBodyBytes} bytes`)
      return { status: response.status, headers: response.headers, text, json: parseJson(text) }
    } catch (error) {
      return { status: 0, headers: new Headers(), text: describeFailure(error), json: undefined }
    }
  }

  /** Sends a request. Never rejects. After a 429, waits and retries a few times, unless `once` is set. */
  const send = async (request: ApiRequest, { once = false } = {}): Promise<ApiExchange> => {
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
