import { type Issue, reasonPhrases } from '@wabakit/contract'
import { formatIssue } from '../errors/operation-errors.ts'
import { findEndpoint } from '../http/api.ts'
import type { CallRecord } from '../records.ts'
import type { LiveSettings } from '../simulation/live-settings.ts'
import type { FetchLimit } from './fetch-limit.ts'

/** The functions of the reference server that the imitation of a live API uses. @inline */
type Served = {
  /** Responds like the reference server. */
  respond(request: Request): Promise<Response>
  /** Finds a call of the organization whose key the request has. */
  findCall(callId: string): Promise<Pick<CallRecord, 'channel'> | undefined>
  /** Limits the fetches of a call by the organization whose key the request has. */
  readonly limitFetches: FetchLimit
}

type ErrorFields = { readonly message?: string; readonly issues?: readonly Issue[] }

const keyHeaders = { 'groups.create': 'x-public-api-key', 'calls.getSummary': 'authorization' } as const

const json = { 'content-type': 'application/json; charset=utf-8' }

/** The phrases of error bodies: the standard ones, except for one that the samples have in its older form. */
const phrases: Readonly<Record<number, string>> = { ...reasonPhrases, 422: 'Unprocessable Entity' }

const refuse = (status: 401 | 403 | 404 | 429, message: string, headers = {}): Response => {
  const error = status === 401 ? undefined : phrases[status]
  const body = JSON.stringify({ statusCode: status, message, error })
  return new Response(body, { status, headers: { ...json, ...headers } })
}

const forbid = (): Response => refuse(403, 'Forbidden resource')

/**
 * Removes API keys from all headers except the one that the endpoint's page names, so that a key in another
 * header counts as missing.
 */
const keepKey = async (request: Request, name: string): Promise<Request> => {
  const headers = new Headers(request.headers)
  for (const each of Object.values(keyHeaders)) if (each !== name) headers.delete(each)
  // A live service takes the whole header as the key, so it does not accept a key after `Bearer`. The core
  // would accept it.
  const key = headers.get(name)
  if (key !== null && /\s/.test(key)) headers.set(name, `unknown-${key.replace(/\s.*/s, '')}`)
  const { url, method, signal } = request
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: await request.arrayBuffer() }
  // Passes the options one by one, because an HTTP adapter's request may not be a real `Request`.
  return new Request(url, { method, headers, signal, ...body })
}

/** Converts a response of the reference server to the form on the published pages. */
const toLiveResponse = async (response: Response, request: Request): Promise<Response> => {
  const headers = new Headers(response.headers)
  for (const name of ['ratelimit', 'ratelimit-policy', 'www-authenticate']) headers.delete(name)
  const { status } = response
  if (status === 200) return new Response(response.body, { status, headers })
  if (status === 202) {
    headers.delete('retry-after')
    return new Response('{}', { status, headers })
  }
  const { message = '', issues = [] }: ErrorFields = await response.json()
  const error = phrases[status]
  const isRoute = findEndpoint(new URL(request.url).pathname) === undefined || status === 405
  if (isRoute) return refuse(404, `Cannot ${request.method} ${new URL(request.url).pathname}`)
  if (status === 401) return refuse(401, 'Unauthorized')
  const messages = status === 400 ? (issues.length > 0 ? issues.map(formatIssue) : [message]) : message
  return new Response(JSON.stringify({ statusCode: status, message: messages, error }), { status, headers })
}

/** Adds the field of the published response to a created group. */
const addNumber = async (response: Response, request: Request): Promise<Response> => {
  const { wabaNumber }: { wabaNumber?: unknown } = await request.json()
  const body: object = await response.json()
  return new Response(JSON.stringify({ ...body, wabaNumber }), response)
}

/**
 * Responds to a request to the public API as a live service does, in the strictest reading of its pages: the header of
 * the key depends on the path, a wrong key gets a 403 from the summaries, WhatsApp calls have no summaries, each call
 * can be fetched 30 times a minute, and errors have no code.
 */
export const respondLive = async (
  request: Request,
  { respond, findCall, limitFetches, pstnCalling = true }: Served & Pick<LiveSettings, 'pstnCalling'>,
): Promise<Response> => {
  const { pathname, searchParams } = new URL(request.url)
  const endpoint = findEndpoint(pathname)
  if (endpoint === undefined) return toLiveResponse(await respond(request), request)
  const header = keyHeaders[endpoint]
  const isKeySent = request.headers.has(header)
  const forwarded = await keepKey(request, header)
  const copy = forwarded.clone()
  const response = await respond(forwarded)
  if (response.status === 405) return toLiveResponse(response, request)
  if (endpoint === 'groups.create') {
    const live = await toLiveResponse(response, request)
    return live.status === 200 ? addNumber(live, copy) : live
  }
  if (isKeySent && (response.status === 401 || !pstnCalling)) return forbid()
  const callId = searchParams.get('callId') ?? ''
  const waitSeconds = response.status === 401 ? undefined : limitFetches(callId)
  if (waitSeconds !== undefined) return refuse(429, 'Too many requests', { 'retry-after': `${waitSeconds}` })
  const isKnown = response.status === 200 || response.status === 202 || response.status === 422
  const call = isKnown ? await findCall(callId) : undefined
  return call?.channel === 'WHATSAPP' ? refuse(404, 'No such call') : toLiveResponse(response, request)
}
