import * as z from 'zod/mini'
import type { LoggedRequest } from '../../hosting/index.ts'
import { RequestFilter } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { page, pageQuery, ServerInfo } from '../schemas.ts'
import { ApiRequestView, showRequest } from '../views/request.ts'

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
    summary: 'List the last 10,000 requests of the public API that this process responded to, newest first',
    query: z.strictObject({ ...pageQuery, ...RequestFilter.shape }),
    result: page('ApiRequest', ApiRequestView),
    run: async ({ query }, { requests, service }) => {
      const { items, ...rest } = requests.list(query)
      const found = new Map<string, Promise<unknown>>()
      /** Returns whether the call is gone. If so, its id must not be shown, because it may contain a phone number. */
      const isErased = async ({ organizationId, callId, status }: LoggedRequest): Promise<boolean> => {
        if (organizationId === null || callId === null || status === 404) return false
        const key = JSON.stringify([organizationId, callId])
        const finding = found.get(key) ?? service.calls.find(organizationId, callId)
        found.set(key, finding)
        return (await finding) === undefined
      }
      const shown = await Promise.all(
        items.map(async (each) => {
          if (!(await isErased(each))) return [showRequest(each)]
          return query.call === undefined ? [showRequest({ ...each, callId: null })] : []
        }),
      )
      return { ...rest, items: shown.flat() }
    },
  }),
]
