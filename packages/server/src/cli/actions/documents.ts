import { asyncApiDocument, jsonSchemas, openApiDocument } from '@wabakit/contract/documents'

/** The documents of the service by the names of their commands. */
export const documents = {
  openapi: () => openApiDocument(),
  asyncapi: () => asyncApiDocument(),
  schemas: () => jsonSchemas(),
} as const
