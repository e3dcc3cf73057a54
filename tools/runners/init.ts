import { execFile } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Framework, frameworks } from '../../packages/server/src/cli/init/frameworks.ts'
import { senderKinds } from '../../packages/server/src/cli/init/senders.ts'
import { toLiveTest } from '../../packages/server/test/cli/live-test.ts'
import { installPacked } from '../packed/packed.ts'

// Runs `wabakit init` from the packed packages for every framework, with every combination of modules, language and test
// runner that works for it, then compiles what it wrote and runs its tests, also against a service that drops credentials, repeats without ids
// and sends nulls. Express and NestJS, whose files differ most, get every answer.
// Arguments select combinations by name: `commonjs-typescript-jest`.
const execute = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const jestExample = join(root, 'examples/testing-jest-typescript')
const installed = join(jestExample, 'node_modules')
const project = mkdtempSync(join(tmpdir(), 'wabakit-init-'))

const run = async (cwd: string, [file = '', ...args]: readonly string[]): Promise<string> => {
  const environment = { ...process.env, VITEST: undefined, NODE_ENV: undefined }
  const { stdout, stderr } = await execute(file, args, { cwd, env: environment }).catch((error) => {
    throw new Error(`${cwd}: ${error.stdout}\n${error.stderr}`)
  })
  return stdout + stderr
}

const compilerOptions = {
  // NestJS 12 has ES modules only, which `node16` does not let CommonJS require.
  module: 'nodenext',
  target: 'es2023',
  types: ['node'],
  isolatedModules: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}

const jestConfig = (isModule: boolean, isTyped: boolean): object => ({
  transform: isTyped ? { '\\.ts$': ['ts-jest', { useESM: isModule }] } : {},
  ...(isTyped && isModule && { extensionsToTreatAsEsm: ['.ts'] }),
  ...(isTyped && isModule && { moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' } }),
})

/** Imports without an ending, as bundlers resolve them. */
const bundledOptions = { ...compilerOptions, module: 'esnext', moduleResolution: 'bundler' }

const listAnswers = ({ name, isLazy }: Framework): string[][] =>
  senderKinds
    .filter((verify) => verify === 'url' || name === 'Express' || name === 'NestJS')
    .flatMap((verify) =>
      // A receiver that is created on the first request cannot handle what an inbox has stored.
      (isLazy ? ['--no-inbox'] : ['--inbox', '--no-inbox']).map((inbox) => [
        '--yes',
        '--verify',
        verify,
        inbox,
      ]),
    )

/** Writes a project for each framework and answer, with one test runner, and runs all of their tests. */
const check = async (isModule: boolean, isTyped: boolean, runner: 'jest' | 'vitest'): Promise<void> => {
  const name = `${isModule ? 'module' : 'commonjs'}-${isTyped ? 'typescript' : 'javascript'}-${runner}`
  const selected = process.argv.slice(2)
  if (selected.length > 0 && !selected.includes(name)) return
  const group = join(project, name)
  let expected = 0
  for (const framework of frameworks) {
    if (framework.isTypeScript && !isTyped) continue
    // In a CommonJS project, jest needs the framework's own transform for these.
    if (framework.isBundled && !isModule && !isTyped && runner === 'jest') continue
    for (const answer of listAnswers(framework)) {
      const kind = framework.isBundled ? 'bundled' : 'plain'
      const folder = join(group, kind, framework.name.replaceAll(/\W+/g, ''), answer.slice(2).join('-'))
      mkdirSync(folder, { recursive: true })
      const dependencies = { [framework.dependency]: '*', [runner]: '*', ...(isTyped && { typescript: '*' }) }
      const type = isModule ? 'module' : 'commonjs'
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type, dependencies }))
      await run(folder, [join(project, 'node_modules/.bin/wabakit'), 'init', ...answer])
      expected += 1
      if (!answer.includes('url')) continue
      const [test = ''] = globSync('{test,src,wabakit}/**/*.{test,spec}.*', { cwd: folder })
      const text = toLiveTest(readFileSync(join(folder, test), 'utf8'))
      writeFileSync(join(folder, test.replace(/(?=\.(?:test|spec)\.)/, '.live')), text)
      expected += 1
    }
  }
  if (isTyped) {
    const write = (path: string, config: object) => writeFileSync(join(group, path), JSON.stringify(config))
    write('tsconfig.json', { compilerOptions, include: ['plain'] })
    write('bundled/tsconfig.json', { compilerOptions: bundledOptions })
    for (const folder of ['.', 'bundled'])
      await run(group, ['node', join(installed, 'typescript/bin/tsc'), '--project', folder])
  }
  writeFileSync(
    join(group, 'jest.config.cjs'),
    `module.exports = ${JSON.stringify(jestConfig(isModule, isTyped))}`,
  )
  const jest = ['node', '--experimental-vm-modules', join(installed, 'jest/bin/jest.js')]
  const vitest = ['node', join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', '.']
  const output = await run(group, runner === 'jest' ? jest : vitest)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with one.
  const passed = /Tests:? +(\d+) passed/.exec(output.replaceAll(/\u001b\[[\d;]*m/g, ''))?.[1]
  if (Number(passed) !== expected) throw new Error(`${name}: ${passed} of ${expected} passed\n${output}`)
  console.log(`${name}: ${passed} passed`)
}

const link = (name: string, folder: string): void => {
  const path = join(project, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) symlinkSync(join(folder, name), path)
}

try {
  if (!existsSync(installed)) await run(jestExample, ['npm', 'ci', '--ignore-scripts'])
  await installPacked(project)
  for (const name of ['jest', '@jest/globals', 'ts-jest', '@types/node']) link(name, installed)
  for (const name of ['vitest', '@nestjs/common']) link(name, join(root, 'node_modules'))
  for (const isModule of [false, true])
    for (const isTyped of [true, false])
      for (const runner of ['jest', 'vitest'] as const) await check(isModule, isTyped, runner)
} finally {
  rmSync(project, { recursive: true, force: true })
}
