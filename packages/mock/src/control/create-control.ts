import type { OrganizationRecord, ReferenceServer } from '@wabakit/core'
import {
  createControlApi,
  type MockControl,
  parsePosition,
  readPages,
  type ServerInfo,
} from '@wabakit/core/control'
import { ControlError, inspectorPath, type RequestLog, toErrorResponse } from '@wabakit/core/hosting'
import { equalsInConstantTime } from '@wabakit/webhooks'
import manifest from '../../package.json' with { type: 'json' }
import { MockTimeoutError, MockUsageError, UnexpectedEventError } from '../errors.ts'
import type { Tenant } from '../tenant/create-tenant.ts'
import { controlTenant, getAccount, serveTenant } from './control-tenant.ts'
import { isThisMachine } from './this-machine.ts'

type ControlOptions = {
  /** The tenants, oldest first. */
  readonly listTenants: () => readonly Tenant[]
  readonly addTenant: (settings: object) => Tenant
  /** The requests to the public API of all tenants. */
  readonly requests: RequestLog
  /** `undefined` if programs of this machine need none. */
  readonly controlToken: string | undefined
}

const getHostname = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

/**
 * Rejects web pages from other machines, because the control API shows keys and sends requests to any URL. A page can also reach
 * the port under its own host name, which resolves to this machine by then (DNS rebinding), and sends no `origin` with a GET.
 * With a token, the name of the host does not matter, because a page does not know the token.
 */
const checkSite = ({ headers }: Request, token: string | undefined): void => {
  const [origin, host] = [headers.get('origin'), headers.get('host')]
  if (origin !== null && !isThisMachine(getHostname(origin)))
    throw new ControlError('origin_not_allowed', 'Only pages from this machine may control the mock.')
  if (token === undefined && host !== null && !isThisMachine(getHostname(`http://${host}`)))
    throw new ControlError(
      'host_not_allowed',
      `The host ${JSON.stringify(host)} is not this machine. Control the mock through its own URL, or set a controlToken.`,
    )
}

const checkToken = ({ headers }: Request, token: string | undefined): void => {
  const sent = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
  if (token === undefined || equalsInConstantTime(sent, token)) return
  const challenge = { headers: { 'www-authenticate': 'Bearer' } }
  throw new ControlError('token_required', 'Send the control token as "Authorization: Bearer …".', challenge)
}

/** Returns the path of a file of the page, relative to the page's path; `undefined` for other requests. */
const findPagePath = ({ method, url }: Request): string | undefined => {
  const { pathname } = new URL(url)
  const isPage = pathname === inspectorPath || pathname.startsWith(`${inspectorPath}/`)
  return isPage && ['GET', 'HEAD'].includes(method) ? pathname.slice(inspectorPath.length) : undefined
}

/** The paths of operations that record themselves or, as a reset does, start an empty log. */
const recorded = /\/(?:clock|waits|triggered-events|reset)$/

/** Returns the organization of the tenant that a request changes, unless a function of the tenant records the step. */
const findChanged = ({ method, url }: Request): string | undefined => {
  const { pathname } = new URL(url)
  const [, organizationId] = /\/organizations\/([^/]+)\/./.exec(pathname) ?? []
  return ['GET', 'HEAD'].includes(method) || recorded.test(pathname) ? undefined : organizationId
}

const toControlError = (error: unknown): unknown => {
  if (error instanceof MockUsageError) return new ControlError('invalid_input', error.message)
  if (error instanceof MockTimeoutError) return new ControlError('timed_out', error.message)
  return error instanceof UnexpectedEventError ? new ControlError('unexpected_event', error.message) : error
}

/** Lists the organizations of one tenant after the other. The cursor is the number of those that were listed. */
const createOrganizationList =
  (listTenants: () => readonly Tenant[]): ReferenceServer['organizations']['list'] =>
  async ({ cursor = '0', limit = 100 } = {}) => {
    const all: OrganizationRecord[] = []
    for (const { handles } of listTenants())
      for await (const each of readPages(handles.server.organizations.list)) all.push(each)
    const end = Number(parsePosition(cursor)) + limit
    return { items: all.slice(end - limit, end), ...(end < all.length && { nextCursor: String(end) }) }
  }

/** Creates the control API of a mock. */
export const createControl = ({ listTenants, addTenant, requests, controlToken }: ControlOptions) => {
  const find = (organizationId: string | undefined): Tenant | undefined =>
    listTenants().find(({ handles }) => handles.organizationId === organizationId)
  const mock: MockControl = {
    createTenant: (settings) => getAccount(addTenant(settings)),
    listTenants: () => listTenants().map(getAccount),
    findTenant: (organizationId) => {
      const found = find(organizationId)
      return found && controlTenant(found)
    },
  }
  const respond = createControlApi({
    findContext: async (organizationId) => {
      // Organizations that the control API created belong to the first tenant.
      const tenant = find(organizationId) ?? listTenants()[0]
      if (tenant === undefined) throw new ControlError('stopping', 'This mock is closed.')
      const info: ServerInfo = {
        version: manifest.version,
        database: 'memory',
        role: 'all',
        can: ['faults', 'mock'],
      }
      const { service, ...context } = await serveTenant(tenant)
      // The log of requests is that of all tenants.
      const findService = (id: string) => find(id)?.handles.server ?? service
      const organizations: typeof service.organizations = {
        ...service.organizations,
        list: createOrganizationList(listTenants),
        find: (id) => findService(id).organizations.find(id),
      }
      const findCall: typeof service.calls.find = (id, callId) => findService(id).calls.find(id, callId)
      const calls = { ...service.calls, find: findCall }
      return { ...context, service: { ...service, organizations, calls }, requests, info, mock }
    },
  })

  return async (request: Request): Promise<Response> => {
    try {
      checkSite(request, controlToken)
      const page = findPagePath(request)
      // The page needs no token: it is the same for every user, and asks for the token itself.
      if (page !== undefined) return await (await import('#port')).servePage(page)
      checkToken(request, controlToken)
      find(findChanged(request))?.logStep(`${request.method} ${new URL(request.url).pathname}`)
      return await respond(request)
    } catch (error) {
      const { body, ...init } = toErrorResponse(toControlError(error), `req_${crypto.randomUUID()}`)
      return new Response(body, init)
    }
  }
}
