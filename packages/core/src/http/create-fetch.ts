import { type EndpointName, endpoints } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { GroupsContext } from '../groups/groups.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import { type Answer, toResponse } from './answer.ts'
import { authenticate, readKey } from './authenticate.ts'
import { createGroupEndpoint } from './create-group-endpoint.ts'
import { errorAnswer } from './error-answer.ts'
import { getSummaryEndpoint } from './get-summary-endpoint.ts'

/** What the host knows of a connection. */
export type ConnectionInfo = {
  /** The peer's IP address. Without it nothing is limited by address. */
  readonly remoteAddress?: string | undefined
}

/** Answers a request of the public API. Never rejects. */
export type ReferenceFetch = (request: Request, connection?: ConnectionInfo) => Promise<Response>

/** What {@link createFetch} works with. */
export type FetchContext = GroupsContext & {
  readonly authHeader: string
  readonly rateLimits: RateLimits
  readonly onError: (error: unknown) => void
}

const names = Object.keys(endpoints) as readonly EndpointName[]

const isUnauthorized = (error: unknown): boolean =>
  error instanceof RequestRefusedError && error.status === 401

/** The endpoint that a request means, or why it means none. */
const route = (method: string, path: string): EndpointName | RequestRefusedError => {
  const name = names.find((each) => endpoints[each].path === path)
  if (name === undefined) return new RequestRefusedError('route_not_found', 'There is no such path.')
  const allowed = endpoints[name].method
  if (method === allowed) return name
  return new RequestRefusedError('method_not_allowed', `This path takes ${allowed} only.`, {
    headers: { allow: allowed },
  })
}

/** Who makes a request that may go on, and what it is told of its limits. */
const admit = async (
  { headers }: Request,
  { remoteAddress }: ConnectionInfo,
  { authHeader, directory, rateLimits }: FetchContext,
): Promise<{ caller: CallerRecord; limits: RateLimitHeaders }> => {
  let caller: CallerRecord
  try {
    const key = readKey(headers, authHeader)
    rateLimits.refuseExhausted(remoteAddress, key)
    caller = await authenticate(key, directory)
  } catch (error) {
    if (isUnauthorized(error)) await rateLimits.admitStranger(remoteAddress)
    throw error
  }
  return { caller, limits: await rateLimits.admit(caller, remoteAddress) }
}

/** Makes the handler of the two public endpoints. Every answer carries `x-request-id`. */
export const createFetch = (context: FetchContext): ReferenceFetch => {
  const perform = (
    endpoint: EndpointName,
    request: Request,
    url: URL,
    caller: CallerRecord,
  ): Promise<Answer> => {
    switch (endpoint) {
      case 'groups.create':
        return createGroupEndpoint(request, caller, context)
      case 'calls.getSummary':
        return getSummaryEndpoint(url, caller, context.store)
    }
  }

  const refuse = (error: unknown): Answer => {
    if (!(error instanceof RequestRefusedError)) context.onError(error)
    return errorAnswer(error)
  }

  const answer = async (request: Request, connection: ConnectionInfo): Promise<Answer> => {
    const url = new URL(request.url)
    const endpoint = route(request.method, url.pathname)
    const admission = admit(request, connection, context)
    if (endpoint instanceof RequestRefusedError) {
      // Who looks for paths is limited, too; whether they exist is told to everybody.
      await admission.catch((error: unknown) => {
        if (!isUnauthorized(error)) throw error
      })
      throw endpoint
    }
    const { caller, limits } = await admission
    const given = await perform(endpoint, request, url, caller).catch(refuse)
    return { ...given, headers: { ...limits, ...given.headers } }
  }

  return async (request, connection = {}) =>
    toResponse(await answer(request, connection).catch(refuse), context.ids('req'))
}
