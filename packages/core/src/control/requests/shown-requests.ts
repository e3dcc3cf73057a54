import { StorageUnavailableError } from '../../errors/storage-errors.ts'
import {
  type LoggedBodies,
  type LoggedRequest,
  matchesRequest,
  nothingPersonal,
  type RequestFilter,
} from '../../hosting/request-log.ts'
import type { Page, PageRequest } from '../../index.ts'
import type { ControlContext } from '../operation.ts'

type RequestsContext = Pick<ControlContext, 'service' | 'requests'>

/**
 * Returns a function that checks what was erased or pruned since a request: nothing, its call, or its whole
 * organization, of which nothing may be shown. Without its call, neither the bodies nor the facts in `nothingPersonal`
 * may be shown, because they may contain a phone number or a summary.
 */
const createErasureCheck = ({ service, requests }: RequestsContext) => {
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

/** Counts the call of a request as erased while the store is unavailable: failed requests are of interest then. */
const assumeErased = (error: unknown): 'call' => {
  if (error instanceof StorageUnavailableError) return 'call'
  throw error
}

/** Lists logged requests, newest first, without what was erased since, by which none is found either. */
export const listShownRequests = async (
  context: RequestsContext,
  query: PageRequest & RequestFilter,
): Promise<Page<LoggedRequest>> => {
  const { items, ...rest } = context.requests.list(query)
  const findErased = createErasureCheck(context)
  const shown = await Promise.all(
    items.map(async (each) => {
      const finding = findErased(each)
      // The requests about one call cannot be shown without it.
      const erased = await (query.call === undefined ? finding.catch(assumeErased) : finding)
      if (erased === 'nothing') return [each]
      const remaining = { ...each, ...nothingPersonal }
      return erased === 'call' && matchesRequest(remaining, query) ? [remaining] : []
    }),
  )
  return { ...rest, items: shown.flat() }
}

/** Finds a logged request, without what was erased since. */
export const findShownRequest = async (
  context: RequestsContext,
  requestId: string,
): Promise<(LoggedRequest & LoggedBodies) | undefined> => {
  const logged = context.requests.find(requestId)
  if (logged === undefined) return undefined
  const erased = await createErasureCheck(context)(logged).catch(assumeErased)
  if (erased === 'nothing') return logged
  if (erased === 'organization') return undefined
  return { ...logged, ...nothingPersonal, requestBody: null, responseBody: null }
}
