import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../src', import.meta.url))

const bundle = async (contents: string, options: BuildOptions): Promise<string> => {
  const stdin = { contents, resolveDir: folder }
  const { outputFiles } = await build({ ...options, stdin, bundle: true, format: 'esm', write: false })
  return outputFiles?.[0]?.text ?? ''
}

// The package is published as one file. A bundler drops only code that it knows to have no side effects.
let published: string

beforeAll(async () => {
  published = await bundle(
    `export * from './index.ts'; export { validateSummaryRecord } from '@wabakit/wire'`,
    {
      external: ['zod'],
      conditions: ['@wabakit/source'],
    },
  )
})

const contract: Plugin = {
  name: 'the published file',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^contract$/ }, () => ({ path: 'contract', namespace: 'published' }))
    onLoad({ filter: /.*/, namespace: 'published' }, () => ({ contents: published, resolveDir: folder }))
  },
}

test.each([
  ['CreateGroupRequest', 'approval_required', /CALL_|GROUP_|recap|statusCode|rate_limited|callId/],
  ['CallSummary', 'recap', /CALL_|GROUP_|PSTN|subject|statusCode|rate_limited|callId/],
  ['SummaryRecord', 'recap', /CALL_|GROUP_|subject|statusCode|rate_limited/],
  ['ReceivedErrorBody', 'statusCode', /CALL_|GROUP_|subject|recap|rate_limited/],
  ['eventSchemas', 'CALL_MISSED', /approval_required|statusCode|rate_limited|is required/],
  ['validateEvent', 'CALL_MISSED', /approval_required|statusCode|rate_limited|IN_PROGRESS/],
  [
    'validateSummaryRecord',
    'keyPoints',
    /_zod|CALL_|GROUP_|approval_required|statusCode|rate_limited|IN_PROGRESS/,
  ],
  ['errorCodes', 'rate_limited', /_zod|CALL_|subjectMaxLength/],
  ['endpoints', '/v1/call/ai-summary', /_zod|CALL_|rate_limited/],
  ['limits', 'requestBodyMaxBytes', /_zod|CALL_|rate_limited/],
  ['redact', 'inviteLink', /_zod|CALL_|rate_limited/],
])('importing %s bundles no other part of the contract', async (name, own, others) => {
  const text = await bundle(`export { ${name} } from 'contract'`, { plugins: [contract], minify: true })
  expect(text).toContain(own)
  expect(text).not.toMatch(others)
})

test('the documents are not in the main entry', () => {
  expect(published).not.toMatch(/openapi|asyncapi|json-schema\.org/)
})
