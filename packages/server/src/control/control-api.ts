import { readJson, toApiRequest } from '@wabakit/core/hosting'
import { type Context, Hono } from 'hono'
import { controlPath, inspectorPath, servePage } from '../inspector/serve-page.ts'
import { ControlError, requireFound, toErrorResponse } from './control-error.ts'
import { createGuard, type GuardOptions } from './guard.ts'
import { createControlOpenApi } from './openapi.ts'
import type { ControlContext, Operation } from './operation.ts'
import { operations } from './operations/index.ts'

type ControlApiOptions = ControlContext &
  GuardOptions & {
    readonly createRequestId: () => string
    /** Receives unexpected errors, which responses do not reveal. */
    readonly onError: (error: unknown) => void
  }

/** Responds to a request below `/_wabakit` that came from the given address. */
export type ControlApi = (request: Request, remoteAddress: string | undefined) => Promise<Response>

const bodyMaxBytes = 1_048_576
const json = { 'content-type': 'application/json' }
const eventStream = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const hasBody = ({ headers }: Request): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0

const createRoute =
  ({ path, body: schema, status, run }: Operation, context: ControlContext) =>
  async (c: Context): Promise<Response> => {
    const request = c.req.raw
    if (path.startsWith('/organizations/:')) {
      const id = c.req.param('organizationId') ?? ''
      requireFound(await context.service.organizations.find(id), 'organization', id)
    }
    // The body is optional. Rejects media types other than JSON, because other sites' pages can send them.
    const body =
      schema !== undefined && hasBody(request) ? await readJson(toApiRequest(request), bodyMaxBytes) : {}
    const result = await run({ params: c.req.param(), query: c.req.query(), body }, context)
    return status === 204 ? c.body(null, 204) : c.body(JSON.stringify(result), status, json)
  }

export const createControlApi = (options: ControlApiOptions): ControlApi => {
  const { service, live, info, createRequestId } = options
  const guard = createGuard(options)
  let openApi: string | undefined
  const app = new Hono<{ Bindings: { remoteAddress: string | undefined } }>().basePath(controlPath)

  app.on('GET', ['/inspector', '/inspector/*'], async (c) => {
    guard.checkFile(c.req.raw)
    const response = await servePage(c.req.path.slice(inspectorPath.length))
    response.headers.set('x-request-id', createRequestId())
    return response
  })
  app.use(async (c, next) => {
    await guard.check(c.req.raw, c.env.remoteAddress)
    c.header('cache-control', 'no-store')
    c.header('x-request-id', createRequestId())
    await next()
  })
  app.get('/openapi.json', (c) => {
    openApi ??= JSON.stringify(createControlOpenApi(info.version))
    return c.body(openApi, 200, json)
  })
  app.get('/organizations/:organizationId/stream', async (c) => {
    const organizationId = c.req.param('organizationId')
    requireFound(await service.organizations.find(organizationId), 'organization', organizationId)
    const after = c.req.header('last-event-id') ?? c.req.query('after')
    // Hono drops the body of the response to HEAD without closing it.
    if (c.req.method === 'HEAD') return c.body(null, 200, eventStream)
    return c.body(await live.open({ organizationId, after }), 200, eventStream)
  })
  for (const operation of operations) {
    app.on(operation.method, operation.path, createRoute(operation, options))
  }

  const respondError = (error: Error): Response => {
    const { body, ...init } = toErrorResponse(error, createRequestId())
    if (init.status >= 500) options.onError(error)
    return new Response(body, init)
  }
  app.notFound(() =>
    respondError(
      new ControlError('not_found', `There is no such path or method. See ${controlPath}/openapi.json.`),
    ),
  )
  app.onError(respondError)
  return async (request, remoteAddress) => app.fetch(request, { remoteAddress })
}
