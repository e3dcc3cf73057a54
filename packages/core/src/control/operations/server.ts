import * as z from 'zod/mini'
import { StorageUnavailableError } from '../../errors/storage-errors.ts'
import { requireFound } from '../../hosting/control-error.ts'
import { type LoggedRequest, nothingPersonal } from '../../hosting/request-log.ts'
import { RequestFilter } from '../filters.ts'
import { type ControlContext, operationIn } from '../operation.ts'
import { list, page, pageQuery, ServerInfo } from '../schemas.ts'
import { EventTypeView, listEventTypes } from '../views/event-type.ts'
import { ApiRequestDetailsView, ApiRequestView, showRequest, showRequestDetails } from '../views/request.ts'

const operation = operationIn('Server')

/**
 * Returns a function that checks what was erased or pruned since a request: nothing, its call, or its whole
 * organization, of which nothing may be shown. Without its call, neither the bodies nor the facts in `nothingPersonal`
 * may be shown, because they may contain a phone number or a summary.
 */
const createErasureCheck = ({ service, requests }: Pick<ControlContext, 'service' | 'requests'>) => {
  const checked = new Map<string, Promise<boolean>>()
  const checkOnce = (key: readonly unknown[], check: () => Promise<boolean>): Promise<boolean> => {
    const name = JSON.stringify(key)
    const checking = checked.get(name) ?? check()
    checked.set(name, checking)
    return checking
  }
  const isRemoved = async (organizationId: string, createdAt: number | null): Promise<boolean> => {
    const found = await service.organizations.find(organizationId)
    if (found?.createdAt === createdAt) return false
    // Another process removed it, or the request was logged after the removal.
    requests.forgetOrganization(organizationId, createdAt)
    return true
  }
  const isErased = async (organizationId: string, callId: string): Promise<boolean> =>
    (await service.calls.find(organizationId, callId)) === undefined

  return async ({ organizationId: id, organizationCreatedAt: createdAt, callId, status }: LoggedRequest) => {
    if (id === null) return 'nothing'
    if (await checkOnce([id, createdAt], () => isRemoved(id, createdAt))) return 'organization'
    if (callId === null || status === 404) return 'nothing'
    return (await checkOnce([id, createdAt, callId], () => isErased(id, callId))) ? 'call' : 'nothing'
  }
}

/** Counts the call of a request as erased while the store is unavailable: just then, failed requests are of interest. */
const assumeErased = (error: unknown): 'call' => {
  if (error instanceof StorageUnavailableError) return 'call'
  throw error
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
    summary:
      'List the last requests of the public API that this process responded to, at most 10,000, newest first',
    query: z.strictObject({ ...pageQuery, ...RequestFilter.shape }),
    result: page('ApiRequest', ApiRequestView),
    run: async ({ query }, context) => {
      const { items, ...rest } = context.requests.list(query)
      const findErased = createErasureCheck(context)
      const shown = await Promise.all(
        items.map(async (each) => {
          const finding = findErased(each)
          // The requests about one call cannot be shown without it.
          const erased = await (query.call === undefined ? finding.catch(assumeErased) : finding)
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
    run: async ({ params: { requestId } }, context) => {
      const logged = requireFound(context.requests.find(requestId), 'request', requestId)
      const erased = await createErasureCheck(context)(logged).catch(assumeErased)
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
