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
 * Returns a function that checks what was erased since a request: nothing, its call, or its whole organization, of which nothing may
 * be shown. Without its call, neither the call's id nor the bodies may be shown, because they may contain a phone number or a summary.
 */
const createErasureCheck = ({ calls, organizations }: Pick<ReferenceServer, 'calls' | 'organizations'>) => {
  const found = new Map<string, Promise<unknown>>()
  const isGone = async (key: readonly string[], find: () => Promise<unknown>): Promise<boolean> => {
    const name = JSON.stringify(key)
    const finding = found.get(name) ?? find()
    found.set(name, finding)
    return (await finding) === undefined
  }
  return async ({ organizationId, callId, status }: LoggedRequest) => {
    if (organizationId === null) return 'nothing'
    if (await isGone([organizationId], () => organizations.find(organizationId))) return 'organization'
    if (callId === null || status === 404) return 'nothing'
    return (await isGone([organizationId, callId], () => calls.find(organizationId, callId)))
      ? 'call'
      : 'nothing'
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
      const findErased = createErasureCheck(service)
      const shown = await Promise.all(
        items.map(async (each) => {
          const erased = await findErased(each)
          if (erased === 'nothing') return [showRequest(each)]
          const isListed = erased === 'call' && query.call === undefined
          return isListed ? [showRequest({ ...each, ...nothingPersonal })] : []
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
      const logged = requireFound(requests.find(requestId), 'request', requestId)
      const erased = await createErasureCheck(service)(logged)
      const found = requireFound(erased === 'organization' ? undefined : logged, 'request', requestId)
      if (erased === 'nothing') return showRequestDetails(found)
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
