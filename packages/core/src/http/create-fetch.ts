import { type EndpointName, endpoints } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { GroupsContext } from '../groups/groups.ts'
import type { CallerRecord } from '../records.ts'
import { authenticate } from './authenticate.ts'
import { createGroupEndpoint } from './create-group-endpoint.ts'
import { errorResponse } from './error-response.ts'
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

const answer = async (request: Request, context: FetchContext): Promise<Response> => {
  const url = new URL(request.url)
  const endpoint = route(request.method, url.pathname)
  const caller: CallerRecord = await authenticate(request.headers, {
    header: context.authHeader,
    directory: context.directory,
  })
  switch (endpoint) {
    case 'groups.create':
      return createGroupEndpoint(request, caller, context)
    case 'calls.getSummary':
      return getSummaryEndpoint(url, caller, context.store)
  }
}

/** Makes the handler of the two public endpoints. Every answer carries `x-request-id`. */
export const createFetch =
  (context: FetchContext): ReferenceFetch =>
  async (request) => {
    let response: Response
    try {
      response = await answer(request, context)
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) context.onError(error)
      response = errorResponse(error)
    }
    response.headers.set('x-request-id', context.ids('req'))
    return response
  }
