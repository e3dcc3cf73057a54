import { type ApiRequest, type ApiResponse, RequestRefusedError } from '@wabakit/core'
import { buildJsonResponse } from '@wabakit/core/hosting'

type DocumentsOptions = {
  /** The header that carries the API key. */
  readonly authHeader: string
  readonly publicUrl: string | undefined
  readonly requestId: () => string
}

/** Responds to a request for a document of the public API. */
export type Documents = (request: ApiRequest) => Promise<ApiResponse>

export const documentPaths: ReadonlySet<string> = new Set(['/openapi.json', '/asyncapi.json'])

/** Creates `/openapi.json` and `/asyncapi.json`, which describe this server. They need no key. */
export const createDocuments =
  ({ authHeader, publicUrl, requestId }: DocumentsOptions): Documents =>
  async ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new RequestRefusedError('method_not_allowed', 'This path supports GET and HEAD only.', {
        headers: { allow: 'GET, HEAD' },
      })
    }
    // Loaded on request: few servers are asked.
    const { createAsyncApiDocument, createOpenApiDocument } = await import('@wabakit/contract/documents')
    const document =
      path === '/openapi.json'
        ? createOpenApiDocument({ authHeader, baseUrl: publicUrl ?? '/' })
        : createAsyncApiDocument()
    return buildJsonResponse(document, { requestId: requestId() })
  }
