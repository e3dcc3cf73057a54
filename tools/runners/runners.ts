import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const inMatrix = (...path: string[]) => join(import.meta.dirname, '../matrix/node_modules', ...path)
const inExample = (name: string, ...path: string[]) => join(root, 'examples', `testing-${name}`, ...path)
const inRoot = (name: string) => join(root, 'node_modules', name)

type Environment = 'node' | 'jsdom' | 'happy-dom'

/** A test runner, or msw in a test runner. */
export type Runner = {
  /** Folder of the package whose version is shown. */
  readonly package: string
  /** Folder of the tests. */
  readonly folder: string
  readonly command: readonly [file: string, ...args: string[]]
  /** The environment in which our suite runs, with real and with fake timers. Examples run once. */
  readonly environment?: Environment
}

const runSuite = (
  name: string,
  environment: Environment,
  command: readonly [string, ...string[]],
): Runner => ({
  package: name,
  folder: join(import.meta.dirname, 'suite'),
  command,
  environment,
})

const runVitest = (alias: string, environment: Environment, ...files: string[]): Runner =>
  runSuite(inMatrix(alias), environment, ['node', inMatrix(alias, 'vitest.mjs'), 'run', ...files])

/** Runs all tests where `globalThis` is the window of the environment, which may lack what Node.js has. */
const runInWindow = (environment: Environment): Runner =>
  runVitest('vitest5', environment, '--pool', 'vmThreads', 'mock', 'port', 'receiver')

const jest = inExample('jest', 'node_modules/jest')
/** Folder of Playwright's package. */
export const playwright = inMatrix('@playwright/test')
const jestTypeScript = inExample('jest-typescript', 'node_modules/jest')
const runJest = (environment: Environment, ...args: string[]): Runner =>
  runSuite(jest, environment, [
    ...(['node', '--experimental-vm-modules', join(jest, 'bin/jest.js')] as const),
    ...['--config', '{"transform":{}}', ...args, 'mock.test.js'],
  ])

/** Suites by the name of their row. */
export const runners: Readonly<Record<string, Runner>> = {
  'vitest 5': runVitest('vitest5', 'node', 'mock', 'port'),
  'vitest 5, jsdom': runVitest('vitest5', 'jsdom', 'mock', 'port'),
  'vitest 4': runVitest('vitest', 'node', 'mock', 'port'),
  'vitest 4, jsdom': runVitest('vitest', 'jsdom', 'mock', 'port'),
  'vitest 5, happy-dom': runVitest('vitest5', 'happy-dom', 'mock', 'port'),
  'vitest 5, jsdom, vmThreads': runInWindow('jsdom'),
  'vitest 5, happy-dom, vmThreads': runInWindow('happy-dom'),
  'receiver in vitest 5': runVitest('vitest5', 'node', 'receiver.test.js'),
  'receiver in vitest 5, jsdom': runVitest('vitest5', 'jsdom', 'receiver.test.js'),
  'receiver in vitest 5, happy-dom': runVitest('vitest5', 'happy-dom', 'receiver.test.js'),
  'vitest, example': {
    package: inRoot('vitest'),
    folder: inExample('vitest'),
    command: ['vitest', 'run', '--root', '.'],
  },
  'jest, ES modules': runJest('node'),
  'jest, ES modules, jsdom': runJest('jsdom', '--env', inExample('jest', 'jsdom-environment.js')),
  'jest, example': { package: jest, folder: inExample('jest'), command: ['npm', 'test'] },
  'jest with a transform, example': {
    package: jest,
    folder: inExample('jest'),
    command: ['npm', 'run', 'test:transform'],
  },
  'jest with ts-jest in CommonJS, example': {
    package: jestTypeScript,
    folder: inExample('jest-typescript'),
    command: ['npm', 'run', 'test:types'],
  },
  'node:test, example': {
    package: inRoot('node'),
    folder: inExample('node-test'),
    command: ['node', '--test', 'order.test.ts'],
  },
  'bun test': runSuite(inMatrix('bun'), 'node', [inMatrix('bun/bin/bun.exe'), 'test', './mock.test.js']),
  'Playwright, example': {
    package: playwright,
    folder: inExample('playwright'),
    command: ['node', join(playwright, 'cli.js'), 'test'],
  },
  'msw 3': { ...runVitest('vitest5', 'node', 'msw.test.js'), package: inRoot('msw') },
  'msw 2': { ...runVitest('vitest5', 'node', 'msw.test.js'), package: inMatrix('msw2') },
  'msw 2, jsdom': { ...runVitest('vitest5', 'jsdom', 'msw.test.js'), package: inMatrix('msw2') },
}
