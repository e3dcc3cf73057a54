import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import { type LoggedRequest, nothingPersonal } from '../../hosting/request-log.ts'
import type { ReferenceServer } from '../../index.ts'
import { RequestFilter } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { list, page, pageQuery, ServerInfo } from '../schemas.ts'
import { EventTypeView, listEventTypes } from '../views/event-type.ts'
import { ApiRequestDetailsView, ApiRequestView, showRequest, showRequestDetails } from '../views/request.ts'

const operation = operationIn('Server')

/**
 * Returns a function that checks whether the call of a request was erased. If so, neither the id of the call
 * nor the bodies may be shown, because they may contain a phone number or a summary.
 */
const createErasureCheck = ({ calls }: Pick<ReferenceServer, 'calls'>) => {
  const found = new Map<string, Promise<unknown>>()
  return async ({ organizationId, callId, status }: LoggedRequest): Promise<boolean> => {
    if (organizationId === null || callId === null || status === 404) return false
    const key = JSON.stringify([organizationId, callId])
    const finding = found.get(key) ?? calls.find(organizationId, callId)
    found.set(key, finding)
    return (await finding) === undefined
  }
}

export const serverOperations = [
  operation({
    id: 'getServerInfo',
    route: 'GET /info',
    summary: 'Get what this server is',
    result: ServerInfo,
    run: async (_input, { info }) => info,
  }),
  operation({
    id: 'listRequests',
    route: 'GET /requests',
    summary: 'List the last 10,000 requests of the public API that this process responded to, newest first',
    query: z.strictObject({ ...pageQuery, ...RequestFilter.shape }),
    result: page('ApiRequest', ApiRequestView),
    run: async ({ query }, { requests, service }) => {
      const { items, ...rest } = requests.list(query)
      const isErased = createErasureCheck(service)
      const shown = await Promise.all(
        items.map(async (each) => {
          if (!(await isErased(each))) return [showRequest(each)]
          return query.call === undefined ? [showRequest({ ...each, ...nothingPersonal })] : []
        }),
      )
      return { ...rest, items: shown.flat() }
    },
  }),
  operation({
    id: 'getRequest',
    route: 'GET /requests/:requestId',
    summary: 'Get a request of the public API with its bodies',
    result: ApiRequestDetailsView,
    run: async ({ params: { requestId } }, { requests, service }) => {
      const found = requireFound(requests.find(requestId), 'request', requestId)
      if (!(await createErasureCheck(service)(found))) return showRequestDetails(found)
      return showRequestDetails({ ...found, ...nothingPersonal, requestBody: null, responseBody: null })
    },
  }),
  operation({
    id: 'listEventTypes',
    route: 'GET /event-types',
    summary: 'List the events of the service, each with a sample and a schema',
    result: list('EventType', EventTypeView),
    run: async () => ({ items: listEventTypes() }),
  }),
]
