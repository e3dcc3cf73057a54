import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { formatOption } from '../options.ts'
import { outputOf } from '../output.ts'

const descriptions = {
  openapi: 'print the OpenAPI 3.1 document of the two endpoints',
  asyncapi: 'print the AsyncAPI 3 document of the webhooks',
  schemas: 'print the JSON Schemas of everything said on the wire',
} as const

/** Adds `wabakit openapi`, `asyncapi` and `schemas`. */
export const addDocuments = (program: Command): void => {
  for (const name of ['openapi', 'asyncapi', 'schemas'] as const) {
    program
      .command(name)
      .description(descriptions[name])
      .addOption(formatOption())
      .addHelpText('after', examples(`${name} > ${name}.json`))
      .action(async (options) => {
        const { documents } = await import('../actions/documents.ts')
        const document = documents[name]()
        outputOf(options).result(document, JSON.stringify(document, undefined, 2))
      })
  }
}
