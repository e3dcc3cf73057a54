import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const conditions = ['@wabakit/source', 'module', 'node']

/**
 * The tests of each package that run in this process and need no other program. They run against its mutants.
 * Tests that load a package a second time are excluded: its static code would count as covered, but would
 * never run with a mutation.
 */
const tests: Readonly<Record<string, readonly string[]>> = {
  wire: ['packages/wire/src/**/*.test.ts', 'packages/contract/src/**/*.test.ts'],
  client: ['packages/client/{src,test}/**/*.test.ts'],
  webhooks: [
    'packages/webhooks/src/**/*.test.ts',
    'packages/webhooks/test/{dedupe,memory-dedupe,mistakes,receiver,secrets,sqlite-dedupe,tracing,vectors}.test.ts',
    'packages/webhooks/test/inbox/{inbox-sqlite,simulated-kills}.test.ts',
    'packages/webhooks/test/frameworks/{fastify,fetch,lambda,node}.test.ts',
  ],
  core: [
    'packages/core/src/**/*.test.ts',
    'packages/core/test/*.test.ts',
    // Omits clock.test.ts, which loads modules again, so that static code would seem to be covered.
    'packages/mock/{src,test}/**/{deliveries,fake-timers,in-process,malformed-requests,port,scenarios,tenants,waits}.test.ts',
    'packages/server/test/{control-api,control-guard,control-lists,faults,live-stream,operations,restart,timeline}.test.ts',
    'packages/server/src/stores/sqlite/same-as-memory.test.ts',
    'tools/mutation/simulated-runs.ts',
  ],
}

/** Resolves our packages' names to the mutated sources in this copy, because links lead to the repository's sources. */
const alias = ['wire', 'contract', 'client', 'webhooks', 'core', 'mock'].flatMap((name) => {
  const folder = resolve('packages', name)
  const { exports }: { exports: Record<string, string | { '@wabakit/source'?: string }> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return Object.entries(exports).flatMap(([subpath, target]) => {
    const source = typeof target === 'object' ? target['@wabakit/source'] : undefined
    if (source === undefined) return []
    return { find: new RegExp(`^@wabakit/${name}${subpath.slice(1)}$`), replacement: join(folder, source) }
  })
})

export default defineConfig({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  test: {
    include: [...(tests[process.env.WABAKIT_MUTATED ?? ''] ?? [])],
    // These measure times, which instrumented code distorts, or compare their own text, to which Stryker adds a comment.
    exclude: ['**/constant-time.test.ts', '**/readme.test.ts'],
    isolate: false,
    testTimeout: 60_000,
  },
})
