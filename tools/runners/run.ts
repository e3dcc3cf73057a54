import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Result, testSection } from '../matrix/results.ts'
import { installPacked } from '../packed/packed.ts'
import { readManifest } from '../release/packages.ts'
import { playwright, type Runner, runners } from './runners.ts'

// Runs our suite and the examples with every test runner and the packed packages, like a user's project. jest is
// installed by `npm ci` in the folders of its examples, the others in `matrix` and in this repository. Arguments select
// rows by name.
const run = promisify(execFile)
const installed = resolve(import.meta.dirname, '../../node_modules')
const project = mkdtempSync(join(tmpdir(), 'wabakit-runners-'))

const linkPackage = (name: string, folder: string): void => {
  const link = join(project, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(folder, link)
}

const hasOwnPackages = (folder: string): boolean => existsSync(join(folder, 'package-lock.json'))

const selected = process.argv.slice(2)

const installRunners = async (): Promise<void> => {
  for (const [name, runner] of Object.entries(runners)) {
    if (selected.length > 0 && !selected.includes(name)) continue
    // Our suite runs with the jest of an example.
    for (const folder of [runner.folder, resolve(runner.package, '../..')])
      if (hasOwnPackages(folder) && !existsSync(join(folder, 'node_modules')))
        await run('npm', ['ci', '--ignore-scripts'], { cwd: folder })
  }
}

/** Copies the tests to the project: anew for each row, because vitest caches how a file's imports are resolved. */
const copyTests = (name: string, { folder }: Runner): string => {
  const copy = join(project, name.replaceAll(/\W+/g, '-'))
  cpSync(folder, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  if (hasOwnPackages(folder)) symlinkSync(join(folder, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

const checkRunner = async (row: string, runner: Runner): Promise<Result> => {
  const { name, version } = readManifest(runner.package)
  const cwd = copyTests(row, runner)
  linkPackage('msw', name === 'msw' ? runner.package : join(installed, 'msw'))
  const [file, ...args] = runner.command
  for (const TIMERS of runner.environment ? ['real', 'fake'] : [undefined]) {
    const env = { ...process.env, ENVIRONMENT: runner.environment, TIMERS }
    await run(file, args, { cwd, env, timeout: 180_000 })
  }
  return { version, result: 'passes' }
}

try {
  await Promise.all([installPacked(project), installRunners()])
  if (existsSync(join(project, 'node_modules/msw'))) throw new Error('msw is installed by default.')
  linkPackage('vitest', join(installed, 'vitest'))
  linkPackage('@playwright/test', playwright)
  await testSection(
    'Test runners',
    Object.fromEntries(
      Object.entries(runners).map(([name, runner]) => [
        name,
        existsSync(runner.package) ? () => checkRunner(name, runner) : undefined,
      ]),
    ),
  )
} finally {
  rmSync(project, { recursive: true, force: true })
}
