import type { ApiResponse } from '@wabakit/core'
import { buildJsonResponse } from '@wabakit/core/hosting'
import type { ServerConfig } from '../config/server-config.ts'

/** Returns a document of the public API by its path, without a request id. */
export type Documents = (path: string) => Promise<ApiResponse>

export const documentPaths: ReadonlySet<string> = new Set(['/openapi.json', '/asyncapi.json'])

/** Creates `/openapi.json` and `/asyncapi.json`, which describe this server. They need no key and are built once. */
export const createDocuments = ({
  authHeader,
  publicUrl = '/',
}: Pick<ServerConfig, 'authHeader' | 'publicUrl'>): Documents => {
  const built = new Map<string, ApiResponse>()
  return async (path) => {
    const known = built.get(path)
    if (known !== undefined) return known
    // Loads the documents on demand, because few servers ever get such a request.
    const { createAsyncApiDocument, createOpenApiDocument } = await import('@wabakit/contract/documents')
    const document =
      path === '/openapi.json'
        ? createOpenApiDocument({ authHeader, baseUrl: publicUrl })
        : createAsyncApiDocument()
    const response = buildJsonResponse(document, { requestId: '' })
    built.set(path, response)
    return response
  }
}
