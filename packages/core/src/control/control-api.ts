import { ControlError, requireFound } from '../hosting/control-error.ts'
import { controlPath } from '../hosting/control-requests.ts'
import { createControlOpenApi } from './openapi.ts'
import type { Ability, ControlContext, Operation } from './operation.ts'
import { operations } from './operations/index.ts'
import { runOperation } from './run-operation.ts'

type ControlApiOptions = {
  /**
   * Returns what serves the requests about an organization; for `undefined`, what serves all others.
   *
   * @throws ControlError if the host is closed.
   */
  readonly findContext: (organizationId: string | undefined) => ControlContext | Promise<ControlContext>
}

/** The message of a host without an ability that other hosts have. */
const remedies: Readonly<Record<Ability, string>> = {
  faults: 'This server does not inject faults. Start it with --sandbox.',
  mock: 'Only a mock with a clock and recordings of its own can do this: run the tests with `wabakit exec --mock -- COMMAND`, or use createMock({ port: 0 }). On a server, /organizations adds a tenant, /events sends an event, /requests, /events and /deliveries list what happened, and /stream reports it as it happens.',
}

const noStore = { 'cache-control': 'no-store' }
const json = { ...noStore, 'content-type': 'application/json' }
/** Buffers and compressors of proxies would hold events up. */
const eventStream = {
  'cache-control': 'no-store, no-transform',
  'content-type': 'text/event-stream',
  'x-accel-buffering': 'no',
}

const streamPath = '/organizations/:organizationId/stream'
const documentPath = '/openapi.json'

type Params = Readonly<Record<string, string>>

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    const message = `The path has ${JSON.stringify(part)}, which is not valid percent-encoding.`
    throw new ControlError('invalid_input', message)
  }
}

/** Returns the parameters of a path; `undefined` if the path does not match. */
const matchPath = (template: string, parts: readonly string[]): Params | undefined => {
  const names = template.split('/')
  if (names.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith(':') && part !== '') params[name.slice(1)] = part
    else if (name !== part) return undefined
  }
  return params
}

const findOperation = (method: string, parts: readonly string[]) => {
  for (const operation of operations) {
    const params = operation.method === method ? matchPath(operation.path, parts) : undefined
    if (params !== undefined) return { operation, params }
  }
  throw new ControlError('not_found', `There is no such path or method. See ${controlPath}${documentPath}.`)
}

/**
 * Creates the control API of a host. The host decides who may use it, before it passes a request on.
 *
 * @returns a function that responds to a request below {@link controlPath}, and rejects with errors for
 *   `toErrorResponse`.
 */
export const createControlApi = ({ findContext }: ControlApiOptions) => {
  let document: string | undefined

  const buildDocument = async (): Promise<string> => {
    const { info, ...context } = await findContext(undefined)
    const isOffered = ({ needs }: Operation) => needs === undefined || context[needs] !== undefined
    return JSON.stringify(createControlOpenApi(info.version, operations.filter(isOffered)))
  }

  const openStream = async (request: Request, organizationId: string): Promise<Response> => {
    const { service, live } = await findContext(organizationId)
    requireFound(await service.organizations.find(organizationId), 'organization', organizationId)
    // Nothing would ever close a stream that the response to HEAD does not send.
    if (request.method === 'HEAD') return new Response(null, { headers: eventStream })
    const after =
      request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? undefined
    return new Response(await live.open({ organizationId, after }), { headers: eventStream })
  }

  const respondToGet = async (request: Request, parts: readonly string[]): Promise<Response | undefined> => {
    if (matchPath(documentPath, parts) !== undefined) {
      document ??= await buildDocument()
      return new Response(document, { headers: json })
    }
    const { organizationId } = matchPath(streamPath, parts) ?? {}
    return organizationId === undefined ? undefined : await openStream(request, organizationId)
  }

  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const parts = pathname.slice(controlPath.length).split('/').map(decode)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const found = method === 'GET' ? await respondToGet(request, parts) : undefined
    if (found !== undefined) return found
    const { operation, params } = findOperation(method, parts)
    const context = await findContext(params.organizationId)
    const { needs } = operation
    if (needs !== undefined && context[needs] === undefined)
      throw new ControlError('not_found', remedies[needs])
    const query = Object.fromEntries(searchParams)
    const { status, body } = await runOperation(operation, { request, params, query, ...context })
    return status === 204
      ? new Response(null, { status, headers: noStore })
      : new Response(body, { status, headers: json })
  }
}
