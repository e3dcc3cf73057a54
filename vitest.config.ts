import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Packages resolve to their sources by the same export condition that TypeScript and the demo use.
const conditions = ['@wabakit/source', 'module', 'node']

/**
 * Modules of these tests have a folder, hooks, time limits or results for the one file that loads them, or add headers
 * to every request. Most start a process for each command, so `npm run test:long` runs them, too.
 */
const isolated = [
  'packages/server/test/cli/*.test.ts',
  'packages/server/test/migrate-database/*.test.ts',
  'examples/start/*.test.ts',
  'packages/wabakit/test/opentelemetry.test.ts',
]

/** They build the packages first. `npm run test:matrix` runs them. */
const packed = ['packages/wabakit/test/packed.test.ts']

/** They need Chromium and take longer than other tests. `npm run test:inspector` runs them. */
const browser = ['packages/server/test/inspector/{accessibility,inspector,lists,records}.test.ts']

/** They kill processes and databases, or try the judges on some hundred endpoints. `npm run test:long` runs them. */
const long = [
  'packages/conformance/test/{correct,example-receivers,flawed-handling,flawed-verification,python-endpoints}.test.ts',
  'packages/conformance/test/server/{broken,correct}-servers.test.ts',
  'packages/core/test/runtimes/built.test.ts',
  'packages/server/src/stores/postgres/{open-postgres,worker}.test.ts',
  'packages/server/test/{races,torture,torture-postgres}.test.ts',
  'packages/cluster-simulation/test/same-trace-postgres.test.ts',
  'packages/wabakit/test/orders/orders.test.ts',
  'packages/webhooks/test/inbox/kills.test.ts',
]

const tests = [
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.test.ts',
  'release/*.test.ts',
  'examples/*.test.ts',
  'examples/start/*.test.ts',
  'examples/{orders,queues}/*.test.ts',
  'examples/testing-vitest/*.test.ts',
]

/** They take longest. What starts last should be short, also on a machine that has not timed the tests yet. */
const slow =
  /(?:cli\/running|cli\/serve|inbox-mysql|inbox-postgres|broken-servers|torture-postgres)\.test\.ts$/

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => Number(!slow.test(moduleId))
    return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: tests,
          exclude: [...configDefaults.exclude, ...isolated, ...packed, ...browser, ...long],
          // Loading the sources again for each file would take half of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
      { extends: true, test: { name: 'long', include: long, isolate: false } },
      { extends: true, test: { name: 'packed', include: packed } },
      {
        extends: true,
        test: {
          name: 'inspector',
          include: browser,
          globalSetup: 'packages/server/test/inspector/build-page.ts',
          testTimeout: 60_000,
        },
      },
    ],
    sequence: { sequencer: SlowFirst },
    // Much of it waits: for timers, other processes, databases.
    maxWorkers: availableParallelism() + 1,
    // The processes that tests start would compile the sources again each time.
    // `npx vitest` is not `npx @wabakit/server`, which prints other commands.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/wabakit-tests'), npm_command: '' },
    // A slow machine is no failure: what hangs is told by these, not by how fast it was.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    silent: 'passed-only',
    coverage: { include: ['packages/*/src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.test-d.ts'] },
  },
})
