import { type CreateGroupResponse, type EndpointName, endpoints } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { createGroup, parseCreateGroup } from '../groups/create-group.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { type ApiRequest, type ApiResponse, buildJsonResponse, readJson, refuseRequest } from './exchange.ts'
import { getSummary } from './get-summary.ts'

/** What the host knows about a connection. */
export type ConnectionInfo = {
  /** The peer's IP address. Without it, nothing is limited by address. */
  readonly remoteAddress?: string | undefined
}

/** Responds to a request of the public API. Never rejects. */
export type Api = (request: ApiRequest, connection?: ConnectionInfo) => Promise<ApiResponse>

export type ApiContext = ServerContext & {
  readonly authHeader: string
  readonly rateLimits: RateLimits
  readonly onError: (error: unknown) => void
}

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

const names = Object.keys(endpoints) as readonly EndpointName[]

/** Finds the endpoint of a path; `undefined` if there is none. */
export const findEndpoint = (path: string): EndpointName | undefined =>
  names.find((each) => endpoints[each].path === path)

const route = ({ method, path }: ApiRequest): EndpointName => {
  const name = findEndpoint(path)
  if (name === undefined) throw new RequestRefusedError('route_not_found', 'There is no such path.')
  const allowed = endpoints[name].method
  if (method === allowed) return name
  throw new RequestRefusedError('method_not_allowed', `This path takes ${allowed} only.`, {
    headers: { allow: allowed },
  })
}

/** A request that has been counted: its caller, or why it has none. */
type Admission = { readonly limits: RateLimitHeaders } & (
  | { readonly caller: CallerRecord }
  | { readonly caller?: never; readonly refusal: RequestRefusedError }
)

/** Creates the two API endpoints. */
export const createApi = (context: ApiContext): Api => {
  const { authHeader, directory, ids, onError, rateLimits, store } = context

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
            `The ${authHeader} header must carry a Public API key.`,
            challenge,
          )
        : new RequestRefusedError('invalid_api_key', 'The Public API key is invalid.', challenge)
    return { limits, refusal }
  }

  const perform = async (
    endpoint: EndpointName,
    request: ApiRequest,
    caller: CallerRecord,
  ): Promise<object> => {
    switch (endpoint) {
      case 'groups.create': {
        const { organization, key } = caller
        const body = parseCreateGroup(await readJson(request))
        const creator = { organization, permitted: key.wabaNumbers }
        const { groupId } = await createGroup(context, creator, body)
        return { success: true, groupId } satisfies CreateGroupResponse
      }
      case 'calls.getSummary':
        return getSummary(request.query, caller, store)
    }
  }

  return async (request, { remoteAddress } = {}) => {
    const requestId = ids('req')
    let headers: RateLimitHeaders = {}
    try {
      const admission = await admit(request, remoteAddress)
      headers = admission.limits
      // Guesses of paths count towards the limits, but everybody learns whether a path exists.
      const endpoint = route(request)
      if (admission.caller === undefined) throw admission.refusal
      return buildJsonResponse(await perform(endpoint, request, admission.caller), { requestId, headers })
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) onError(error)
      return refuseRequest(error, { requestId, headers })
    }
  }
}
