import { createAsyncApiDocument, createJsonSchemas, createOpenApiDocument } from '@wabakit/contract/documents'
import type { Command } from 'commander'
import { addExamples, createFormatOption } from './options.ts'
import { createOutput } from './output.ts'

const documents: Readonly<Record<string, () => object>> = {
  openapi: createOpenApiDocument,
  asyncapi: createAsyncApiDocument,
  schemas: createJsonSchemas,
}

export const define = (command: Command): void => {
  const name = command.name()
  command.addOption(createFormatOption()).action((options) => {
    const document = documents[name]?.()
    createOutput(options).result(document, JSON.stringify(document, undefined, 2))
  })
  addExamples(command, `${name} > ${name}.json`)
}
