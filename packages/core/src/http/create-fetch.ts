import { type EndpointName, endpoints } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { GroupsContext } from '../groups/groups.ts'
import type { RateLimitHeaders, RateLimits } from '../rate-limit/rate-limits.ts'
import type { CallerRecord } from '../records.ts'
import { type Answer, toResponse } from './answer.ts'
import { authenticate } from './authenticate.ts'
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

/** The endpoint that a request means. */
const route = (method: string, path: string): EndpointName => {
  const name = names.find((each) => endpoints[each].path === path)
  if (name === undefined) throw new RequestRefusedError('route_not_found', 'There is no such path.')
  const allowed = endpoints[name].method
  if (method === allowed) return name
  throw new RequestRefusedError('method_not_allowed', `This path takes ${allowed} only.`, {
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
    caller = await authenticate(headers, { header: authHeader, directory })
  } catch (error) {
    if (error instanceof RequestRefusedError) await rateLimits.admitStranger(remoteAddress)
    throw error
  }
  return { caller, limits: await rateLimits.admit(caller) }
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
    const { caller, limits } = await admit(request, connection, context)
    const given = await perform(endpoint, request, url, caller).catch(refuse)
    return { ...given, headers: { ...limits, ...given.headers } }
  }

  return async (request, connection = {}) =>
    toResponse(await answer(request, connection).catch(refuse), context.ids('req'))
}
