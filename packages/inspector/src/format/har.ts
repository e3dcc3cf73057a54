import type { Entry, SentRequest, Timeline } from '../api/types.ts'
import { showBody } from './mask.ts'

type Pairs = readonly { readonly name: string; readonly value: string }[]

const toPairs = (record: Readonly<Record<string, string>>): Pairs =>
  Object.entries(record).map(([name, value]) => ({ name, value }))

type Exchange = {
  readonly at: string
  readonly durationMs: number
  readonly method: string
  readonly url: string
  readonly headers: Pairs
  readonly body: string | undefined
  readonly status: number | null
  readonly responseBody: string
  readonly comment: string
}

const toExchange = (entry: Entry, sent: SentRequest | undefined): Exchange | undefined => {
  if (entry.kind === 'request') {
    const { at, durationMs, method, path, callId, status, code } = entry.request
    const search = callId === null ? '' : `?callId=${encodeURIComponent(callId)}`
    const url = `${location.origin}${path}${search}`
    return {
      at,
      durationMs,
      method,
      url,
      headers: [],
      body: undefined,
      status,
      responseBody: '',
      comment: code ?? '',
    }
  }
  if (entry.kind !== 'attempt') return undefined
  const { startedAt, durationMs, url, status, error, responseBody } = entry.attempt
  return {
    at: startedAt,
    durationMs,
    method: 'POST',
    url,
    headers: toPairs(sent?.headers ?? {}),
    body: sent && showBody(sent.body),
    status,
    responseBody: showBody(responseBody ?? ''),
    comment: error ?? '',
  }
}

const toHarEntry = (exchange: Exchange) => ({
  startedDateTime: exchange.at,
  time: exchange.durationMs,
  request: {
    method: exchange.method,
    url: exchange.url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: exchange.headers,
    queryString: toPairs(Object.fromEntries(new URL(exchange.url).searchParams)),
    ...(exchange.body !== undefined && { postData: { mimeType: 'application/json', text: exchange.body } }),
    headersSize: -1,
    bodySize: -1,
  },
  response: {
    status: exchange.status ?? 0,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [],
    content: { size: exchange.responseBody.length, mimeType: '', text: exchange.responseBody },
    redirectURL: '',
    headersSize: -1,
    bodySize: -1,
  },
  cache: {},
  timings: { send: 0, wait: exchange.durationMs, receive: 0 },
  comment: exchange.comment,
})

/** Formats the API requests and attempts of a timeline as an HTTP archive (HAR 1.2). */
export const formatHar = ({ entries }: Timeline, requests: readonly (SentRequest | undefined)[]) => ({
  log: {
    version: '1.2',
    creator: { name: 'wabakit', version: '1' },
    entries: entries.flatMap((entry, index) => toExchange(entry, requests[index]) ?? []).map(toHarEntry),
  },
})
