import { type CreateGroupResponse, type EndpointName, endpoints } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { createGroup, parseCreateGroup } from '../groups/create-group.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { getSummary } from './get-summary.ts'
import { readJson } from './read-json.ts'
import { buildErrorResponse, type JsonResponse, serializeResponse } from './response.ts'

/** What the host knows about a connection. */
export type ConnectionInfo = {
  /** The peer's IP address. Without it, nothing is limited by address. */
  readonly remoteAddress?: string | undefined
}

/** Responds to a request of the public API. Never rejects. */
export type ReferenceFetch = (request: Request, connection?: ConnectionInfo) => Promise<Response>

export type FetchContext = ServerContext & {
  readonly authHeader: string
  readonly rateLimits: RateLimits
  readonly onError: (error: unknown) => void
}

const names = Object.keys(endpoints) as readonly EndpointName[]

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

const isUnauthorized = (error: unknown): boolean =>
  error instanceof RequestRefusedError && error.status === 401

/** Returns the endpoint of a request, or the error if there is none. */
const route = (method: string, path: string): EndpointName | RequestRefusedError => {
  const name = names.find((each) => endpoints[each].path === path)
  if (name === undefined) return new RequestRefusedError('route_not_found', 'There is no such path.')
  const allowed = endpoints[name].method
  if (method === allowed) return name
  return new RequestRefusedError('method_not_allowed', `This path takes ${allowed} only.`, {
    headers: { allow: allowed },
  })
}

/** Reads the Public API key from a header: the raw key, or `Bearer` and the key. */
const readKey = (headers: Headers, header: string): string => {
  const key = headers.get(header)?.replace(/^bearer(?: +|$)/i, '') ?? ''
  if (key !== '') return key
  throw new RequestRefusedError(
    'missing_api_key',
    `The ${header} header must carry a Public API key.`,
    challenge,
  )
}

/** Authenticates a request and counts it. Returns the caller and the headers that report the limits. */
const admit = async (
  { headers }: Request,
  { remoteAddress }: ConnectionInfo,
  { authHeader, directory, rateLimits }: FetchContext,
): Promise<{ caller: CallerRecord; limits: RateLimitHeaders }> => {
  try {
    const key = readKey(headers, authHeader)
    rateLimits.refuseExhausted(remoteAddress, key)
    const caller = await directory.findCaller(key)
    if (caller !== undefined) return { caller, limits: await rateLimits.admit(caller, remoteAddress) }
    throw new RequestRefusedError('invalid_api_key', 'The Public API key is invalid.', challenge)
  } catch (error) {
    if (isUnauthorized(error)) await rateLimits.admitStranger(remoteAddress)
    throw error
  }
}

/** Creates the handler of the two API endpoints. */
export const createFetch = (context: FetchContext): ReferenceFetch => {
  const perform = async (
    endpoint: EndpointName,
    request: Request,
    url: URL,
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
        return getSummary(url, caller, context.store)
    }
  }

  const refuse = (error: unknown): JsonResponse => {
    if (!(error instanceof RequestRefusedError)) context.onError(error)
    return buildErrorResponse(error)
  }

  const respond = async (request: Request, connection: ConnectionInfo): Promise<JsonResponse> => {
    const url = new URL(request.url)
    const endpoint = route(request.method, url.pathname)
    const admission = admit(request, connection, context)
    if (endpoint instanceof RequestRefusedError) {
      // Guesses of paths count towards the limits, but everybody learns whether a path exists.
      await admission.catch((error: unknown) => {
        if (!isUnauthorized(error)) throw error
      })
      throw endpoint
    }
    const { caller, limits } = await admission
    try {
      const body = await perform(endpoint, request, url, caller)
      return { status: 200, body, headers: limits }
    } catch (error) {
      const response = refuse(error)
      return { ...response, headers: { ...limits, ...response.headers } }
    }
  }

  return async (request, connection = {}) => {
    const response = await respond(request, connection).catch(refuse)
    const { body, ...init } = serializeResponse(response, context.ids('req'))
    return new Response(body, init)
  }
}
