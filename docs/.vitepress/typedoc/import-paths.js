import { Comment, Converter, ReflectionKind } from 'typedoc'
import { importPaths } from '../../typedoc.config.js'

/** @type {Record<string, string>} */
const descriptions = {
  wabakit: 'The typed client: requests, errors, retries.',
  'wabakit/contract': 'Schemas, types, limits and error codes of the service.',
  'wabakit/contract/documents': 'Builds the OpenAPI, AsyncAPI and JSON Schema documents.',
  'wabakit/core': 'The reference server, embedded in any runtime.',
  'wabakit/mock': 'The vendor in your test suite.',
  'wabakit/mock/matchers': 'Matchers for vitest and jest.',
  'wabakit/mock/msw': 'The mock as handlers of msw.',
  'wabakit/webhooks': 'The webhook receiver: verifiers, parsing, dedupe stores.',
  'wabakit/webhooks/node': 'Adapter for node:http, Express, Koa, NestJS and other hosts on Node.js.',
  'wabakit/webhooks/fastify': 'Adapter for Fastify.',
  'wabakit/webhooks/lambda': 'Adapter for AWS Lambda.',
  '@wabakit/server': 'Starts the server in process.',
  '@wabakit/server/postgres': 'The store on PostgreSQL, for a host of your own.',
  '@wabakit/conformance': 'Attacks webhook endpoints, and probes services.',
  '@wabakit/conformance/matchers': 'A matcher for reports.',
  '@wabakit/core/hosting': 'What a host of the core needs: responses, identifiers, rate limits, clocks.',
  '@wabakit/core/simulation': 'Simulated calls and faults, which the mock and the server share.',
  '@wabakit/core/storage': 'Building blocks of stores.',
}

/**
 * Names the modules of the reference by the paths that users import them from, and describes them.
 *
 * @param {import('typedoc').Application} app
 */
export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const { fileName = '' } =
      context.getSymbolFromReflection?.(reflection)?.declarations?.[0]?.getSourceFile() ?? {}
    const found = importPaths.find(({ file }) => fileName.endsWith(file))
    if (!found) return
    reflection.name = found.path
    const text = descriptions[found.path]
    if (!text) throw new Error(`Describe ${found.path} in docs/.vitepress/typedoc/import-paths.js`)
    reflection.comment = new Comment([{ kind: 'text', text }])
  })
}
