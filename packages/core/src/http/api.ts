import { type CreateGroupResponse, type EndpointName, endpoints } from '@wabakit/contract'
import { equalsInConstantTime } from '@wabakit/webhooks'
import { maskUrl } from '@wabakit/wire'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { callListener } from '../events/call-listener.ts'
import { createGroup, parseCreateGroup } from '../groups/create-group.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { sha256 } from '../values/sha256.ts'
import { type ApiRequest, type ApiResponse, buildJsonResponse, readJson, refuseRequest } from './exchange.ts'
import { getSummary, parseCallId } from './get-summary.ts'

/** Connection details that the host provides. */
export type ConnectionInfo = {
  /** The peer's IP address. Without it, per-address limits do not apply. */
  readonly remoteAddress?: string | undefined
}

/** Responds to a request to the public API. Never rejects. */
export type Api = (request: ApiRequest, connection?: ConnectionInfo) => Promise<ApiResponse>

/** A request to the public API, and its outcome. It does not contain the key. */
export type RequestReported = {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Start of the request, as Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** The endpoint; `null` for any other path. */
  readonly endpoint: EndpointName | null
  /** `null` if the request had no valid key. */
  readonly caller: CallerRecord | null
  readonly status: number
  /** The error code of the response; `null` for a success. */
  readonly code: string | null
  /** The group or call that the request named, if the id is valid. */
  readonly groupId: string | null
  readonly callId: string | null
  /** The peer's IP address; `null` if the host does not provide it. */
  readonly address: string | null
  /** The `user-agent` header. */
  readonly userAgent: string | null
  /** The query, with its values masked, such as `callId=***`; `null` if there is none. */
  readonly query: string | null
  /** The beginning of the SHA-256 of the key that was sent, as in the list of keys; `null` if there was none, or several. */
  readonly keyFingerprint: string | null
  /** Why there is no caller: no key, one that does not exist (any more), or different ones. `null` if there is a caller. */
  readonly keyFault: 'missing' | 'unknown' | 'conflicting' | null
  /** Set if an earlier copy of the request had already created the group. */
  readonly isRepeated: boolean
  /** The body, with the key replaced wherever it occurs; `null` if it was not read, or is not UTF-8. */
  readonly requestBody: string | null
  /** The body of the response, with the key replaced wherever it occurs. */
  readonly responseBody: string | null
}

type ApiContext = ServerContext & {
  /** Resolves when the declared organizations are in the store. */
  readonly ready: () => Promise<void>
  /** Names of the headers that may contain the API key. */
  readonly keyHeaders: readonly string[]
  readonly rateLimits: RateLimits
  readonly onError: (error: unknown) => void
}

/** A report that is still being written. */
type Report = { -readonly [Field in keyof RequestReported]: RequestReported[Field] }

// Firefox's decoder keeps the next byte order mark after bytes that are not UTF-8, so none is used twice.
const decode = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Replaces a key in a body. A client may have put it there by mistake, and a log must not show it. */
const maskKey = (body: string, key: string | undefined): string => (key ? body.replaceAll(key, '•••') : body)

/** Returns a request that calls `onBody` with the bytes of its body once they are read. */
const watchBody = (request: ApiRequest, onBody: (bytes: Uint8Array) => void): ApiRequest => ({
  ...request,
  readBody: async (maxBytes) => {
    const bytes = await request.readBody(maxBytes)
    if (bytes !== undefined) onBody(bytes)
    return bytes
  },
})

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

const names = Object.keys(endpoints) as readonly EndpointName[]

/** Finds the endpoint of a path; `undefined` if there is none. */
export const findEndpoint = (path: string): EndpointName | undefined =>
  names.find((each) => endpoints[each].path === path)

const route = ({ method, path }: ApiRequest): EndpointName => {
  const name = findEndpoint(path)
  if (name === undefined)
    throw new RequestRefusedError('route_not_found', 'This path does not exist. Check the base URL.')
  const allowed = endpoints[name].method
  if (method === allowed) return name
  throw new RequestRefusedError('method_not_allowed', `This path supports only ${allowed}.`, {
    headers: { allow: allowed },
  })
}

export const createApi = (context: ApiContext) => {
  const { keyHeaders, clock, ids, onError, rateLimits, ready, store } = context
  const listeners = new Set<(report: RequestReported) => void>()

  /**
   * Reads the key, raw or after `Bearer`. Returns an empty string if there is none, and `undefined` if the headers
   * contain different keys: otherwise one request could try two keys.
   */
  const readKey = ({ headers }: ApiRequest): string | undefined => {
    let key: string | undefined
    for (const name of keyHeaders) {
      const sent = headers.get(name)?.replace(/^bearer(?: +|$)/i, '')
      if (sent === undefined || sent === key) continue
      if (key !== undefined) return undefined
      key = sent
    }
    return key ?? ''
  }

  let isReady = false

  const findCaller = async (hash: string): Promise<CallerRecord | undefined> => {
    if (!isReady) await ready()
    isReady = true
    const caller = await store.findCaller(hash)
    return caller !== undefined && equalsInConstantTime(caller.key.hash, hash) ? caller : undefined
  }

  /** Authenticates a request, and counts it. */
  const admit = async (key: string | undefined, remoteAddress: string | undefined) => {
    const hash = key && sha256(key)
    const endGuess = rateLimits.startGuess(remoteAddress, hash)
    try {
      const caller = hash ? await findCaller(hash) : undefined
      const limits = await (caller === undefined
        ? rateLimits.admitStranger(remoteAddress)
        : rateLimits.admit(caller, remoteAddress))
      return { caller, limits }
    } finally {
      endGuess()
    }
  }

  const findKeyFault = (key: string | undefined): NonNullable<Report['keyFault']> =>
    key === undefined ? 'conflicting' : key === '' ? 'missing' : 'unknown'

  const refuseStranger = (fault: Report['keyFault']): RequestRefusedError => {
    if (fault === 'missing') {
      const hint = `The ${keyHeaders.join(' or ')} header must contain a Public API key.`
      return new RequestRefusedError('missing_api_key', hint, challenge)
    }
    const text =
      fault === 'conflicting'
        ? `The headers ${keyHeaders.join(' and ')} contain different keys. Send one, or the same key in both.`
        : 'The Public API key is invalid.'
    return new RequestRefusedError('invalid_api_key', text, challenge)
  }

  const perform = async (
    endpoint: EndpointName,
    request: ApiRequest,
    { caller, report }: { readonly caller: CallerRecord; readonly report: Report },
  ): Promise<object> => {
    switch (endpoint) {
      case 'groups.create': {
        const { organization, key } = caller
        const body = parseCreateGroup(await readJson(request))
        report.groupId = body.groupId ?? null
        const traceparent = request.headers.get('traceparent')
        const creator = { organization, permitted: key.wabaNumbers, traceparent }
        const { groupId, outcome } = await createGroup(context, creator, body)
        report.groupId = groupId
        report.isRepeated = outcome === 'repeated'
        return { success: true, groupId } satisfies CreateGroupResponse
      }
      case 'calls.getSummary':
        report.callId = parseCallId(request.query)
        await rateLimits.admitCall(caller.organization.id, report.callId)
        return getSummary(report.callId, caller, store)
    }
  }

  const respond: Api = async (request, { remoteAddress } = {}) => {
    const requestId = ids('req')
    const { method, path, headers: sentHeaders } = request
    const report: Report = {
      requestId,
      startedAt: clock.now(),
      durationMs: 0,
      method,
      path,
      endpoint: findEndpoint(path) ?? null,
      caller: null,
      status: 0,
      code: null,
      groupId: null,
      callId: null,
      address: remoteAddress ?? null,
      userAgent: null,
      query: null,
      keyFingerprint: null,
      keyFault: null,
      isRepeated: false,
      requestBody: null,
      responseBody: null,
    }
    let sent: Uint8Array | undefined
    let key: string | undefined
    let headers: RateLimitHeaders = {}
    let response: ApiResponse
    try {
      key = readKey(request)
      const { caller, limits } = await admit(key, remoteAddress)
      headers = limits
      report.caller = caller ?? null
      if (caller === undefined) report.keyFault = findKeyFault(key)
      // Runs after counting, so that path guesses count toward the limits, and before checking the caller, so
      // that any client learns whether a path exists.
      const endpoint = route(request)
      if (caller === undefined) throw refuseStranger(report.keyFault)
      const keepBody = (bytes: Uint8Array): void => {
        sent = bytes
      }
      const watched = listeners.size === 0 ? request : watchBody(request, keepBody)
      const body = await perform(endpoint, watched, { caller, report })
      response = buildJsonResponse(body, { requestId, headers })
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) onError(error)
      response = refuseRequest(error, { requestId, headers })
      report.code = JSON.parse(response.body).code
    }
    report.status = response.status
    report.durationMs = Math.max(0, clock.now() - report.startedAt)
    if (listeners.size > 0) {
      const body = sent === undefined ? null : decode(sent)
      report.requestBody = body === null ? null : maskKey(body, key)
      report.responseBody = maskKey(response.body, key)
      report.userAgent = maskKey(sentHeaders.get('user-agent') ?? '', key) || null
      report.query = maskUrl(`?${request.query.replace(/^\?/, '')}`).slice(1) || null
      report.keyFingerprint = key ? sha256(key).slice(0, 8) : null
    }
    for (const listener of listeners) callListener(() => listener(report), onError)
    return response
  }

  return {
    respond,
    /** @returns a function that removes the listener. */
    onRequest: (listener: (report: RequestReported) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
