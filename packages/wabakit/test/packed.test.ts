import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installPacked, publishedPackages } from './packed.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const project = mkdtempSync(join(tmpdir(), 'wabakit-packed-'))

beforeAll(() => installPacked(project), 180_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

type Exports = Record<string, string | Record<string, string>>
const exportsOf = (dir: string): { name: string; exports: Exports } =>
  JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))

/** Subpaths that need an optional peer, which an installation for production does not have. */
const optional = ['wabakit/mock/msw', '@wabakit/mock/msw']

const specifiers = publishedPackages().flatMap((dir) => {
  const { name, exports } = exportsOf(dir)
  return Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => name + subpath.slice(1))
    .filter((specifier) => !optional.includes(specifier))
})

const evaluate = async (file: string, code: string): Promise<unknown> => {
  writeFileSync(join(project, file), code)
  const { stdout } = await run('node', [file], { cwd: project })
  return JSON.parse(stdout)
}

test('every subpath opens from an installed tarball by import, and by require the same objects', async () => {
  const counts = await evaluate(
    'open.mjs',
    `import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    const counts = {}
    for (const specifier of ${JSON.stringify(specifiers)}) {
      const imported = await import(specifier)
      const required = require(specifier)
      const same = Object.keys(imported).every((name) => imported[name] === required[name])
      counts[specifier] = same ? Object.keys(imported).length : 'differs'
    }
    console.log(JSON.stringify(counts))`,
  )
  expect(counts).toEqual(Object.fromEntries(specifiers.map((name) => [name, expect.any(Number)])))
  expect(Object.entries(counts as object).filter(([, count]) => count === 0)).toEqual([])
})

test('the umbrella hands out the very objects of the rooms, so that instanceof holds across subpaths', async () => {
  const umbrella = specifiers.filter((specifier) => specifier.startsWith('wabakit'))
  const differing = await evaluate(
    'identity.mjs',
    `const rooms = { wabakit: '@wabakit/client' }
    const differing = []
    for (const specifier of ${JSON.stringify(umbrella)}) {
      const room = rooms[specifier] ?? specifier.replace('wabakit/', '@wabakit/')
      const [ours, theirs] = [await import(specifier), await import(room)]
      for (const name of Object.keys(theirs)) if (ours[name] !== theirs[name]) differing.push(specifier + ' ' + name)
    }
    console.log(JSON.stringify(differing))`,
  )
  expect(differing).toEqual([])
})

test('no build inlines a dependency or a sibling', () => {
  const foreign = publishedPackages().flatMap((dir) =>
    globSync('dist/**/*.js.map', { cwd: dir }).flatMap((map) => {
      const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(dir, map), 'utf8'))
      return sources
        .map((source) => relative(dir, resolve(dir, map, '..', source)))
        .filter((source) => !source.startsWith('src/') && source !== 'package.json')
        .map((source) => `${basename(dir)}/${map} holds ${source}`)
    }),
  )
  expect(foreign).toEqual([])
})

const compilers = { '5.6': 'ts56/bin/tsc', '6.0': 'typescript/bin/tsc', '7.0': 'ts70/bin/tsc' }
const resolutions = [
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
] as const

test.each(
  Object.entries(compilers).flatMap(([version, compiler]) =>
    resolutions.map((resolution) => [version, ...resolution, compiler] as const),
  ),
)(
  'a strict consumer compiles with TypeScript %s and moduleResolution %s',
  async (_version, moduleResolution, module, compiler) => {
    cpSync(join(import.meta.dirname, 'consumer'), join(project, 'consumer'), { recursive: true })
    const config = join(project, `tsconfig.${compiler.slice(0, 4)}-${moduleResolution}.json`)
    writeFileSync(
      config,
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          target: 'es2022',
          lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
          types: ['node'],
          typeRoots: [join(root, 'node_modules/@types')],
          skipLibCheck: true,
          exactOptionalPropertyTypes: true,
          module,
          moduleResolution,
        },
        files: globSync('consumer/*.ts', { cwd: project }),
      }),
    )
    const result = await run('node', [join(root, 'node_modules', compiler), '-p', config]).catch(
      (error) => error,
    )
    expect(result.stdout).toBe('')
  },
  60_000,
)
