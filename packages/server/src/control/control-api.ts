import { type Context, Hono } from 'hono'
import { ControlError } from './control-error.ts'
import { errorResponse } from './error-response.ts'
import { createGuard, type GuardOptions } from './guard.ts'
import { controlOpenApi } from './openapi.ts'
import type { ControlContext, Operation } from './operation.ts'
import { operations } from './operations/index.ts'
import { readBody } from './read-body.ts'

/** What {@link createControlApi} works with. */
export type ControlApiOptions = ControlContext & {
  readonly guard: GuardOptions
  /** Version of this package. */
  readonly version: string
  /** Gets errors that nobody foresaw; the answer then tells nothing of them. */
  readonly onError: (error: unknown) => void
}

/** Answers requests below `/_wabakit`, made from the given address. */
export type ControlApi = (request: Request, remoteAddress: string | undefined) => Promise<Response>

/** Where the control API is. */
export const controlPath = '/_wabakit'

const eventStream = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const handle =
  (operation: Operation, context: ControlContext) =>
  async (c: Context): Promise<Response> => {
    const body = operation.body === undefined ? undefined : await readBody(c.req.raw)
    const parameter = (name: string): string => c.req.param(name) ?? ''
    const answer = await operation.run({ parameter, query: c.req.query(), body }, context)
    if (operation.status === 204) return c.body(null, 204)
    return c.body(JSON.stringify(answer), operation.status, { 'content-type': 'application/json' })
  }

/** Makes the control API. Every request passes the guard first. */
export const createControlApi = (options: ControlApiOptions): ControlApi => {
  const { service, live, version } = options
  const guard = createGuard(options.guard)
  const description = JSON.stringify(controlOpenApi(version))
  const app = new Hono<{ Bindings: { remoteAddress: string | undefined } }>().basePath(controlPath)

  app.use(async (c, next) => {
    await guard(c.req.raw, c.env.remoteAddress)
    c.header('cache-control', 'no-store')
    await next()
  })
  app.get('/openapi.json', (c) => c.body(description, 200, { 'content-type': 'application/json' }))
  app.get('/organizations/:organizationId/stream', async (c) => {
    const organizationId = c.req.param('organizationId')
    const after = c.req.header('last-event-id') ?? c.req.query('after')
    if ((await service.organizations.find(organizationId)) === undefined) {
      throw new ControlError('not_found', `There is no organization ${JSON.stringify(organizationId)}.`)
    }
    return c.body(await live.open({ organizationId, after }), 200, eventStream)
  })
  for (const operation of operations) app.on(operation.method, operation.path, handle(operation, options))

  app.notFound(() =>
    errorResponse(
      new ControlError('not_found', `There is no such path or method. See ${controlPath}/openapi.json.`),
    ),
  )
  app.onError((error) => {
    const response = errorResponse(error)
    if (response.status >= 500) options.onError(error)
    return response
  })
  return async (request, remoteAddress) => app.fetch(request, { remoteAddress })
}
