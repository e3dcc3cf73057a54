import { type CreateGroupResponse, type EndpointName, endpoints } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { createGroup, parseCreateGroup } from '../groups/create-group.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { type ApiRequest, type ApiResponse, buildJsonResponse, readJson, refuseRequest } from './exchange.ts'
import { getSummary, parseCallId } from './get-summary.ts'
import type { RequestReported } from './request-report.ts'

/** Connection details that the host provides. */
export type ConnectionInfo = {
  /** The peer's IP address. Without it, per-address limits do not apply. */
  readonly remoteAddress?: string | undefined
}

/** Responds to a request to the public API. Never rejects. */
export type Api = (request: ApiRequest, connection?: ConnectionInfo) => Promise<ApiResponse>

/** An API whose requests can be observed. */
export type FollowedApi = {
  readonly respond: Api
  /** @returns a function that removes the listener. */
  onRequest(listener: (report: RequestReported) => void): () => void
}

export type ApiContext = ServerContext & {
  readonly authHeader: string
  readonly rateLimits: RateLimits
  readonly onError: (error: unknown) => void
}

/** A report that is still being written. */
type Report = { -readonly [Field in keyof RequestReported]: RequestReported[Field] }

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

/** A request that has been counted: its caller, or the reason why it has none. */
type Admission = { readonly limits: RateLimitHeaders } & (
  | { readonly caller: CallerRecord }
  | { readonly caller?: never; readonly refusal: RequestRefusedError }
)

/** Creates the two API endpoints. */
export const createApi = (context: ApiContext): FollowedApi => {
  const { authHeader, clock, directory, ids, onError, rateLimits, store } = context
  const listeners = new Set<(report: RequestReported) => void>()

  const publish = (report: RequestReported): void => {
    for (const listener of listeners) {
      try {
        listener(report)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Authenticates a request by its key, which is sent raw or after `Bearer`, and counts it. */
  const admit = async (request: ApiRequest, remoteAddress: string | undefined): Promise<Admission> => {
    const key = request.headers.get(authHeader)?.replace(/^bearer(?: +|$)/i, '') ?? ''
    rateLimits.refuseExhausted(remoteAddress, key)
    const caller = key === '' ? undefined : await directory.findCaller(key)
    if (caller !== undefined) return { caller, limits: await rateLimits.admit(caller, remoteAddress) }
    const limits = await rateLimits.admitStranger(remoteAddress)
    const refusal =
      key === ''
        ? new RequestRefusedError(
            'missing_api_key',
            `The ${authHeader} header must contain a Public API key.`,
            challenge,
          )
        : new RequestRefusedError('invalid_api_key', 'The Public API key is invalid.', challenge)
    return { limits, refusal }
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
    const { method, path } = request
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
      isRepeated: false,
    }
    let headers: RateLimitHeaders = {}
    let response: ApiResponse
    try {
      const admission = await admit(request, remoteAddress)
      headers = admission.limits
      report.caller = admission.caller ?? null
      // Routes after counting, so that path guesses count toward the limits, and before checking the caller, so that
      // any client learns whether a path exists.
      const endpoint = route(request)
      if (admission.caller === undefined) throw admission.refusal
      const body = await perform(endpoint, request, { caller: admission.caller, report })
      response = buildJsonResponse(body, { requestId, headers })
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) onError(error)
      response = refuseRequest(error, { requestId, headers })
      report.code = JSON.parse(response.body).code
    }
    report.status = response.status
    report.durationMs = Math.max(0, clock.now() - report.startedAt)
    publish(report)
    return response
  }

  return {
    respond,
    onRequest: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
