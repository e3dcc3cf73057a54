import { type ApiRequest, type ApiResponse, RequestRefusedError } from '@wabakit/core'
import { buildJsonResponse } from '@wabakit/core/hosting'

type DocumentsOptions = {
  /** The header that carries the API key. */
  readonly authHeader: string
  readonly publicUrl: string | undefined
  readonly createRequestId: () => string
}

/** Responds to a request for a document of the public API. */
export type Documents = (request: ApiRequest) => Promise<ApiResponse>

export const documentPaths: ReadonlySet<string> = new Set(['/openapi.json', '/asyncapi.json'])

/** Creates `/openapi.json` and `/asyncapi.json`, which describe this server. They need no key and are built once. */
export const createDocuments = ({ authHeader, publicUrl, createRequestId }: DocumentsOptions): Documents => {
  const built = new Map<string, ApiResponse>()

  const build = async (path: string): Promise<ApiResponse> => {
    // Loads the documents on demand, because few servers ever get such a request.
    const { createAsyncApiDocument, createOpenApiDocument } = await import('@wabakit/contract/documents')
    const document =
      path === '/openapi.json'
        ? createOpenApiDocument({ authHeader, baseUrl: publicUrl ?? '/' })
        : createAsyncApiDocument()
    const response = buildJsonResponse(document, { requestId: '' })
    built.set(path, response)
    return response
  }

  return async ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new RequestRefusedError('method_not_allowed', 'This path supports GET and HEAD only.', {
        headers: { allow: 'GET, HEAD' },
      })
    }
    const { status, headers, body } = built.get(path) ?? (await build(path))
    return { status, headers: { ...headers, 'x-request-id': createRequestId() }, body }
  }
}
