import { type CreateGroupResponse, type EndpointName, endpoints } from '@wabakit/contract'
import { equalsInConstantTime } from '@wabakit/webhooks'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { callListener } from '../events/call-listener.ts'
import { createGroup, parseCreateGroup } from '../groups/create-group.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { sha256 } from '../values/sha256.ts'
import {
  type ApiRequest,
  type ApiResponse,
  buildJsonResponse,
  parseJson,
  readText,
  refuseRequest,
} from './exchange.ts'
import { getSummary, parseCallId } from './get-summary.ts'
import {
  addTexts,
  findCode,
  findNamedId,
  type Report,
  type RequestDescribed,
  type RequestReported,
  type SentResponse,
  startReport,
  toFingerprint,
} from './request-report.ts'

/** Connection details that the host provides. */
export type ConnectionInfo = {
  /** The peer's IP address. Without it, per-address limits do not apply. */
  readonly remoteAddress?: string | undefined
}

/** Responds to a request to the public API. Never rejects. */
export type Api = (request: ApiRequest, connection?: ConnectionInfo) => Promise<ApiResponse>

type ApiContext = ServerContext & {
  /** Resolves when the declared organizations are in the store. */
  readonly ready: () => Promise<void>
  /** Names of the headers that may contain the API key. */
  readonly keyHeaders: readonly string[]
  readonly rateLimits: RateLimits
  readonly onError: (error: unknown) => void
}

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

const names = Object.keys(endpoints) as readonly EndpointName[]
const namesByPath = new Map<string, EndpointName>(names.map((name) => [endpoints[name].path, name]))

/** Finds the endpoint of a path; `undefined` if there is none. */
export const findEndpoint = (path: string): EndpointName | undefined => namesByPath.get(path)

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

  /** Notes the caller in the report, or why there is none: the key is missing, unknown, or differs between headers. */
  const identify = async (
    report: Report,
    key: string | undefined,
    hash: string | undefined,
  ): Promise<void> => {
    if (hash) {
      if (!isReady) await ready()
      isReady = true
      const caller = await store.findCaller(hash)
      if (caller !== undefined && equalsInConstantTime(caller.key.hash, hash)) {
        report.caller = caller
        return
      }
    }
    report.keyFault = key === undefined ? 'conflicting' : key === '' ? 'missing' : 'unknown'
  }

  /** Authenticates a request, and counts it. */
  const admit = async (
    report: Report,
    key: string | undefined,
    remoteAddress: string | undefined,
  ): Promise<RateLimitHeaders> => {
    const hash = key && sha256(key)
    report.keyFingerprint = toFingerprint(hash)
    const endGuess = rateLimits.startGuess(remoteAddress, hash)
    try {
      await identify(report, key, hash)
      return await (report.caller === null
        ? rateLimits.admitStranger(remoteAddress)
        : rateLimits.admit(report.caller, remoteAddress))
    } finally {
      endGuess()
    }
  }

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
        report.requestBody = await readText(request)
        const body = parseCreateGroup(parseJson(report.requestBody))
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
    const report = startReport(request, {
      requestId,
      startedAt: clock.now(),
      address: remoteAddress ?? null,
      endpoint: findEndpoint(request.path) ?? null,
    })
    let key: string | undefined
    let headers: RateLimitHeaders = {}
    let response: ApiResponse
    try {
      key = readKey(request)
      headers = await admit(report, key, remoteAddress)
      // Runs after counting, so that path guesses count toward the limits, and before checking the caller, so
      // that any client learns whether a path exists.
      const endpoint = route(request)
      const { caller } = report
      if (caller === null) throw refuseStranger(report.keyFault)
      const body = await perform(endpoint, request, { caller, report })
      response = buildJsonResponse(body, { requestId, headers })
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) onError(error)
      response = refuseRequest(error, { requestId, headers })
      report.code = JSON.parse(response.body).code
    }
    report.status = response.status
    report.durationMs = Math.max(0, clock.now() - report.startedAt)
    if (listeners.size > 0) {
      addTexts(report, { request, key, requestBody: report.requestBody, responseBody: response.body })
    }
    for (const listener of listeners) callListener(() => listener(report), onError)
    return response
  }

  /** Describes a request to which the host sent something else than the service's response. */
  const describeSent = async (
    request: ApiRequest,
    { status, durationMs, requestId, requestBody, responseBody }: SentResponse,
    { remoteAddress }: ConnectionInfo = {},
  ): Promise<RequestDescribed> => {
    const report = startReport(request, {
      requestId,
      startedAt: clock.now() - Math.round(durationMs),
      address: remoteAddress ?? null,
      endpoint: findEndpoint(request.path) ?? null,
    })
    const key = readKey(request)
    const hash = key && sha256(key)
    report.keyFingerprint = toFingerprint(hash)
    await identify(report, key, hash)
    report.code = findCode(responseBody)
    report.durationMs = Math.round(durationMs)
    addTexts(report, { request, key, requestBody, responseBody })
    return { ...report, ...findNamedId(report, request, requestBody), status }
  }

  return {
    respond,
    describeSent,
    /** @returns a function that removes the listener. */
    onRequest: (listener: (report: RequestReported) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
