import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { installPacked } from '../packed.ts'

// Runs the example of every test runner with the packed packages, like a user's project. jest and Playwright are installed by
// `npm ci` in the folders of their examples; vitest and msw come from this repository. Arguments select runners by name.
const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../../..')
const resolveExample = (name: string) => join(root, 'examples', `testing-${name}`)

const commands = {
  'node:test': ['node-test', 'node', '--test', 'order.test.ts'],
  vitest: ['vitest', 'vitest', 'run', '--root', '.'],
  jest: ['jest', 'npm', 'test'],
  'jest with a transform': ['jest', 'npm', 'run', 'test:transform'],
  Playwright: ['playwright', 'npm', 'test'],
} as const

/** Copies an example and its runner to the project. */
const prepareExample = async (name: string, project: string): Promise<string> => {
  const folder = join(project, `testing-${name}`)
  if (existsSync(folder)) return folder
  if (
    existsSync(join(resolveExample(name), 'package-lock.json')) &&
    !existsSync(join(resolveExample(name), 'node_modules'))
  ) {
    await run('npm', ['ci', '--ignore-scripts'], { cwd: resolveExample(name) })
  }
  cpSync(resolveExample(name), folder, {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules',
  })
  const runner = join(resolveExample(name), 'node_modules')
  if (existsSync(runner)) symlinkSync(runner, join(folder, 'node_modules'))
  return folder
}

const project = mkdtempSync(join(tmpdir(), 'wabakit-runners-'))
const selected = process.argv.slice(2)
let failures = 0
const report = (name: string, outcome: string): void => console.log(`${outcome.padEnd(8)} ${name}`)
try {
  await installPacked(project)
  const isAbsent = !existsSync(join(project, 'node_modules/msw'))
  report('msw is not installed by default', isAbsent ? 'ok' : 'FAILED')
  if (!isAbsent) failures += 1
  for (const name of ['vitest', 'msw']) {
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
  }
  for (const [name, [folder, file, ...args]] of Object.entries(commands)) {
    if (selected.length > 0 && !selected.includes(name)) continue
    try {
      await run(file, args, { cwd: await prepareExample(folder, project), timeout: 180_000 })
      report(name, 'ok')
    } catch (error) {
      failures += 1
      report(name, 'FAILED')
      console.log(error)
    }
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}
process.exitCode = failures > 0 ? 1 : 0
