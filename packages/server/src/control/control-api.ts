import { type ControlContext, createControlApi as createApi } from '@wabakit/core/control'
import { inspectorPath, toErrorResponse } from '@wabakit/core/hosting'
import { servePage } from '../page/serve-page.ts'
import { compressResponse } from './compression.ts'
import { createGuard, type GuardOptions } from './guard.ts'

type ControlApiOptions = ControlContext &
  GuardOptions & {
    readonly createRequestId: () => string
    /** Receives unexpected errors, which responses do not reveal. */
    readonly onError: (error: unknown) => void
  }

/** Responds to a request below `/_wabakit` that came from the given address. Never rejects. */
export type ControlApi = (request: Request, remoteAddress: string | undefined) => Promise<Response>

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Creates the control API of a server, and the page: guarded, and compressed where that reveals nothing. */
export const createControlApi = (options: ControlApiOptions): ControlApi => {
  const { createRequestId, onError } = options
  const guard = createGuard(options)
  const api = createApi({ findContext: () => options })

  const respond = async (request: Request, remoteAddress: string | undefined): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (isRead(request) && (pathname === inspectorPath || pathname.startsWith(`${inspectorPath}/`))) {
      guard.checkFile(request)
      return compressResponse(request, await servePage(pathname.slice(inspectorPath.length)))
    }
    await guard.check(request, remoteAddress)
    const response = await api(request)
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    // Responses to other methods may contain secrets, which compression could reveal. See `compressResponse`.
    return isRead(request) && !isStream ? compressResponse(request, response) : response
  }

  return async (request, remoteAddress) => {
    const requestId = createRequestId()
    try {
      const response = await respond(request, remoteAddress)
      response.headers.set('x-request-id', requestId)
      return response
    } catch (error) {
      const { body, ...init } = toErrorResponse(error, requestId)
      if (init.status >= 500) onError(error)
      return new Response(body, init)
    }
  }
}
