import { createAsyncApiDocument, createJsonSchemas, createOpenApiDocument } from '@wabakit/contract/documents'

/** The documents of the service by the names of their commands. */
export const documents = {
  openapi: () => createOpenApiDocument(),
  asyncapi: () => createAsyncApiDocument(),
  schemas: () => createJsonSchemas(),
} as const
