import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createAsyncApiDocument, createOpenApiDocument } from '@wabakit/contract/documents'
import { startServer } from '@wabakit/server'
import {
  type Finding,
  lintDockerfile,
  lintWithAsyncApiParser,
  lintWithRedocly,
  lintWithSpectral,
} from './linters.ts'

// Lints the generated documents and the Dockerfile. `npm run check:standards` installs the linters first.
/** The accepted findings, by document and rule, with the reasons. An exception that is not needed is a failure. */
const exceptions: Readonly<Record<string, string>> = {
  'control API operation-description': 'The summary of an operation is a whole sentence.',
  'AsyncAPI asyncapi-servers': 'The server is the one that a subscription names.',
  'AsyncAPI asyncapi-info-contact-properties': 'Issues are the way to reach us; there is no mail address.',
  'AsyncAPI asyncapi-latest-version': '3.0 is what generators support.',
}

const readControlDocument = async (): Promise<unknown> => {
  await using server = await startServer({ port: 0, database: ':memory:', logLevel: 'error' })
  return (await fetch(`${server.url}/_wabakit/openapi.json`)).json()
}

const folder = mkdtempSync(join(tmpdir(), 'wabakit-standards-'))
const write = (name: string, document: unknown): string => {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(document))
  return file
}

const used = new Set<string>()
const findUnexpected = (document: string, findings: readonly Finding[]): Finding[] =>
  findings.filter(({ rule }) => {
    used.add(`${document} ${rule}`)
    return !(`${document} ${rule}` in exceptions)
  })

try {
  const openApi = write('openapi.json', createOpenApiDocument())
  const control = write('control.json', await readControlDocument())
  const asyncApi = createAsyncApiDocument()
  const results: readonly (readonly [document: string, linter: string, findings: readonly Finding[]])[] = [
    ['public API', 'Redocly', await lintWithRedocly(openApi)],
    ['public API', 'Spectral', await lintWithSpectral(openApi)],
    ['control API', 'Redocly', await lintWithRedocly(control)],
    ['control API', 'Spectral', await lintWithSpectral(control)],
    ['AsyncAPI', 'Spectral', await lintWithSpectral(write('asyncapi.json', asyncApi))],
    ['AsyncAPI', 'the AsyncAPI parser', await lintWithAsyncApiParser(asyncApi)],
    ['Dockerfile', 'dockerfilelint', await lintDockerfile(resolve(import.meta.dirname, '../../Dockerfile'))],
  ]
  for (const [document, linter, findings] of results) {
    const unexpected = findUnexpected(document, findings)
    console.log(`${unexpected.length === 0 ? 'ok    ' : 'FAILED'} ${document}, ${linter}`)
    for (const { rule, place, message } of unexpected) console.log(`       ${rule} at ${place}: ${message}`)
    if (unexpected.length > 0) process.exitCode = 1
  }
  for (const exception of Object.keys(exceptions).filter((each) => !used.has(each))) {
    console.log(`FAILED the exception "${exception}" is not needed`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
