import {
  type ControlContext,
  createControlOpenApi,
  type LiveStream,
  operations,
  runOperation,
} from '@wabakit/core/control'
import { ControlError, requireFound, toErrorResponse } from '@wabakit/core/hosting'
import { Hono } from 'hono'
import { controlPath, inspectorPath, servePage } from '../inspector/serve-page.ts'
import { compressResponse } from './compression.ts'
import { createGuard, type GuardOptions } from './guard.ts'

type ControlApiOptions = ControlContext &
  GuardOptions & {
    readonly live: LiveStream
    readonly createRequestId: () => string
    /** Receives unexpected errors, which responses do not reveal. */
    readonly onError: (error: unknown) => void
  }

/** Responds to a request below `/_wabakit` that came from the given address. */
export type ControlApi = (request: Request, remoteAddress: string | undefined) => Promise<Response>

const json = { 'content-type': 'application/json' }
const eventStream = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export const createControlApi = (options: ControlApiOptions): ControlApi => {
  const { service, live, info, createRequestId } = options
  const guard = createGuard(options)
  let openApi: string | undefined
  const app = new Hono<{ Bindings: { remoteAddress: string | undefined } }>().basePath(controlPath)

  app.on('GET', ['/inspector', '/inspector/*'], async (c) => {
    guard.checkFile(c.req.raw)
    const response = await compressResponse(
      c.req.raw,
      await servePage(c.req.path.slice(inspectorPath.length)),
    )
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
    return compressResponse(c.req.raw, c.body(openApi, 200, json))
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
    app.on(operation.method, operation.path, async (c) => {
      const request = { request: c.req.raw, params: c.req.param(), query: c.req.query() }
      const { status, body } = await runOperation(operation, { ...options, ...request })
      if (status === 204) return c.body(null, status)
      const response = c.body(body, status, json)
      // Other responses may contain secrets, which compression could reveal. See `compressResponse`.
      return operation.method === 'GET' ? compressResponse(c.req.raw, response) : response
    })
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
