import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import { RequestFilter } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { findShownRequest, listShownRequests } from '../requests/shown-requests.ts'
import { list, page, pageQuery, ServerInfo } from '../schemas.ts'
import { EventTypeView, listEventTypes } from '../views/event-type.ts'
import { ApiRequestDetailsView, ApiRequestView, showRequest, showRequestDetails } from '../views/request.ts'

const operation = operationIn('Server')

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
    summary:
      'List the last requests of the public API that this process responded to, at most 10,000, newest first',
    query: z.strictObject({ ...pageQuery, ...RequestFilter.shape }),
    result: page('ApiRequest', ApiRequestView),
    run: async ({ query }, context) => {
      const { items, ...rest } = await listShownRequests(context, query)
      return { ...rest, items: items.map(showRequest) }
    },
  }),
  operation({
    id: 'getRequest',
    route: 'GET /requests/:requestId',
    summary: 'Get a request of the public API with its bodies',
    result: ApiRequestDetailsView,
    run: async ({ params: { requestId } }, context) =>
      showRequestDetails(requireFound(await findShownRequest(context, requestId), 'request', requestId)),
  }),
  operation({
    id: 'listEventTypes',
    route: 'GET /event-types',
    summary: 'List the events of the service, each with a sample and a schema',
    result: list('EventType', EventTypeView),
    run: async () => ({ items: listEventTypes() }),
  }),
]
