import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Packages resolve to their sources by the same export condition that TypeScript and the demo use.
const conditions = ['@wabakit/source', 'module', 'node']

/**
 * The name of a test file says where it runs:
 * - `*.test.ts`: in `npm test`, which shares one process among many files.
 * - `*.isolated.test.ts`: its modules have a folder, hooks, time limits or results for the one file that loads them, or add
 *   headers to every request. Most of these files start a process for each command. Runs in `npm run test:long`, too.
 * - `*.long.test.ts`: kills processes and databases, or tries the doctor on some hundred endpoints. `npm run test:long`.
 * - `*.packed.test.ts`: builds and packs the packages first. `npm run test:matrix`, and CI.
 * - `*.matrix.test.ts`: what another test proves for one language, compiler or version of each kind, or by fewer checks. Only
 *   `npm run test:matrix`.
 * - `*.browser.test.ts`: needs Chromium or Firefox. `npm run test:inspector`.
 */
const include = (kind: string): string[] =>
  ['packages/*', 'tools', 'examples'].map((folder) => `${folder}/**/*${kind}.test.ts`)

const buildPage = 'packages/server/test/inspector/build-page.ts'

/** Users copy these files, so their names say nothing about this repository. Their modules keep what they handled. */
const startExample = 'examples/start/**/*.test.ts'

/** Their package is installed apart, or they are part of what another test runs. */
const exclude = [
  ...configDefaults.exclude,
  'examples/testing-{jest,jest-typescript,node-test,playwright}/**',
  'tools/{matrix/checks,mutation,runners/suite}/**',
]

/**
 * The files that take longest, which start first, in this order: what starts last should be short, also on a machine that has not
 * timed the tests yet. Those that mostly wait start one after the other, so that neither CPUs nor workers are idle.
 */
const slowest = [
  // npm test
  'inbox-postgres',
  'inbox-mysql',
  'cluster-simulation/test/cases',
  'conformance/test/doctor',
  'runtimes/workerd',
  'inbox-sqlite',
  'postgres-store',
  'sqlite/store-cases',
  'core/test/suite',
  'simulated-kills',
  'driver-settings',
  'unstored-results',
  'test/same-trace',
  // npm run test:long: some that wait, beside those that compute
  'core-suite/postgres',
  'rolling-restarts',
  'cli/doctor',
  'orders.long',
  'inbox-postgres-versions',
  'flawed-robustness',
  'open-postgres',
  'silence',
  'torture-postgres',
  'python-endpoints',
  'torture.long',
  'conformance/test/correct',
  'races.long',
  'plan.long',
  'demoted-primary',
  'flawed-repeats',
  'flawed-forms',
  'inbox/kills',
  'flawed-verification',
  'example-receivers',
  'same-trace-postgres',
  'cli/serve',
  'cli/running',
  'cli/init',
  'postgres/worker',
  'flawed-events',
  // npm run test:inspector
  'inspector/trace',
  'inspector/records',
  'inspector/lists',
  'inspector/accessibility',
  'inspector/inspector',
  'inspector/overview',
  'inspector/details',
]

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = slowest.findIndex((name) => moduleId.includes(`${name}.`))
      return index < 0 ? slowest.length : index
    }
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
          include: include(''),
          exclude: [...exclude, ...include('.{isolated,long,packed,matrix,browser}'), startExample],
          // Loading the sources again for each file would take half of the time.
          isolate: false,
          setupFiles: ['tools/property-seed.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: [...include('.isolated'), startExample], exclude },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: include('.long'),
          exclude,
          isolate: false,
          setupFiles: ['tools/property-seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'live',
          include: ['examples/{orders,start}/*.test.ts'],
          exclude,
          env: { WABAKIT_PROFILE: 'live' },
        },
      },
      {
        extends: true,
        test: {
          name: 'matrix',
          include: include('.matrix'),
          exclude,
          env: { WABAKIT_MATRIX: 'true' },
          globalSetup: buildPage,
        },
      },
      { extends: true, test: { name: 'packed', include: include('.packed'), exclude } },
      {
        extends: true,
        test: {
          name: 'inspector',
          // Browsers compute. Projects with another number of workers need another group.
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 1 },
          include: include('.browser'),
          exclude,
          globalSetup: buildPage,
          // Files share the sources, a browser and a PostgreSQL server, one after the other.
          isolate: false,
          // Node.js loads the sources itself: to transform them would take CPU from the browsers that wait for them.
          server: { deps: { external: [/\/packages\/[^/]+\/src\/.*\.ts$/] } },
          execArgv: ['--conditions=@wabakit/source'],
        },
      },
    ],
    sequence: { sequencer: SlowFirst },
    globalSetup: ['packages/server/test/bundle-processes.ts', 'packages/server/test/share-clusters.ts'],
    // Two thirds of the time is spent waiting: for timers, other processes, databases.
    maxWorkers: availableParallelism() + 4,
    // The processes that tests start would compile the sources again each time.
    // `npx vitest` is not `npx @wabakit/server`, which prints other commands.
    env: {
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/wabakit-tests'),
      npm_command: '',
      // The names that mocks draw, and the examples of properties: what other ones find need not come from the change under test.
      WABAKIT_SEED: process.env.WABAKIT_SEED ?? '1',
    },
    // A slow machine is no failure: what hangs is told by these, not by how fast it was. A load of 20 reached two minutes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    silent: 'passed-only',
    coverage: { include: ['packages/*/src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.test-d.ts'] },
  },
})
