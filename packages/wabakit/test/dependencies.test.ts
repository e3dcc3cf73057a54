import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** The packages that each package may import, by name and through an entry point. */
const dependencies: Record<string, readonly string[]> = {
  wire: [],
  contract: ['wire'],
  client: ['wire'],
  webhooks: ['wire'],
  core: ['wire', 'contract', 'webhooks'],
  mock: ['wire', 'contract', 'webhooks', 'core', 'client'],
  conformance: ['wire', 'contract', 'webhooks'],
  server: ['wire', 'contract', 'webhooks', 'core', 'mock', 'conformance'],
  inspector: ['wire', 'core'],
  wabakit: ['contract', 'webhooks', 'core', 'client', 'mock'],
}

/** The libraries that each package may import. */
const libraries: Record<string, readonly string[]> = {
  wire: [],
  contract: ['zod/mini'],
  client: ['ky'],
  webhooks: ['standardwebhooks'],
  core: ['fast-sha256', 'zod/mini'],
  conformance: [],
  mock: ['zod/mini', 'msw', 'msw/node', 'vitest'],
  server: [
    'zod/mini',
    'hono',
    '@hono/node-server',
    'undici',
    'ipaddr.js',
    'commander',
    '@bomb.sh/tab/commander',
    'pino',
    'pino-pretty',
    'prom-client',
    'pg',
  ],
  inspector: ['preact', 'preact/hooks', '@preact/signals', 'd3-array', 'd3-shape'],
  wabakit: [],
}

/** Entry points from which a package may import types, and nothing else. */
const typeEntries: Record<string, readonly string[]> = { inspector: ['@wabakit/server/control-types'] }

/** Files that may import `node:` modules. All others run in any runtime. */
const nodeFiles =
  /^packages\/(?:server\/|conformance\/|webhooks\/src\/(?:node|node-request|stop-server|fastify|lambda|hmac\/node|names\/[\w-]+)\.ts|mock\/src\/(?:port|send|trace\/write-trace)\.ts)/

const packages = readdirSync(resolve(root, 'packages')).filter((name) =>
  existsSync(resolve(root, 'packages', name, 'src')),
)

const listSources = (name: string): string[] =>
  globSync(`packages/${name}/src/**/*.{ts,tsx}`, { cwd: root }).filter(
    (file) => !/\.(?:test|test-d)\.ts$/.test(file),
  )

const readImports = (file: string): string[] =>
  ts.preProcessFile(readFileSync(resolve(root, file), 'utf8')).importedFiles.map(({ fileName }) => fileName)

const importsTypesOnly = (file: string, specifier: string): boolean =>
  new RegExp(`^import type [^']*'${specifier}'`, 'm').test(readFileSync(resolve(root, file), 'utf8'))

test('every package is in the table of dependencies', () => {
  expect(packages.filter((name) => !(name in dependencies))).toEqual([])
})

test.each(packages)(
  '%s imports only its dependencies, by package name and through their entry points',
  (name) => {
    const siblings = (dependencies[name] ?? []).map((sibling) => `@wabakit/${sibling}`)
    const wrong = listSources(name).flatMap((file) =>
      readImports(file)
        .filter((specifier) => {
          if (specifier.startsWith('.')) {
            const target = relative(resolve(root, 'packages', name), resolve(root, dirname(file), specifier))
            return !target.startsWith('src/') && target !== 'package.json'
          }
          if (typeEntries[name]?.includes(specifier)) return !importsTypesOnly(file, specifier)
          if (specifier.startsWith('#')) return false
          if (specifier.startsWith('node:')) return !nodeFiles.test(file)
          if (builtinModules.includes(specifier)) return true
          const sibling = siblings.some((each) => specifier === each || specifier.startsWith(`${each}/`))
          return !sibling && !(libraries[name] ?? []).includes(specifier)
        })
        .map((specifier) => `${file} imports ${specifier}`),
    )
    expect(wrong).toEqual([])
  },
)

test.each(packages)('%s has no cycle between its files', (name) => {
  const files = listSources(name)
  const edges = new Map(
    files.map((file) => [
      file,
      readImports(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(root, resolve(root, dirname(file), specifier))),
    ]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const next of edges.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

const isWithin = (folder: string, outer: string): boolean =>
  folder === outer || outer === '.' || folder.startsWith(`${outer}/`)

test.each(packages)('%s has no two folders that import each other, unless one contains the other', (name) => {
  const base = resolve(root, 'packages', name, 'src')
  const pairs = new Set(
    listSources(name).flatMap((file) => {
      const from = relative(base, resolve(root, dirname(file))) || '.'
      return readImports(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(base, resolve(root, dirname(file), dirname(specifier))) || '.')
        .filter((to) => !to.startsWith('..') && !isWithin(from, to) && !isWithin(to, from))
        .map((to) => `${from} and ${to}`)
    }),
  )
  const mutual = [...pairs].filter((pair) => {
    const [from = '', to = ''] = pair.split(' and ')
    return from < to && pairs.has(`${to} and ${from}`)
  })
  expect(mutual).toEqual([])
})

const readManifest = (name: string): Record<string, Record<string, unknown> | undefined> =>
  JSON.parse(readFileSync(resolve(root, `packages/${name}/package.json`), 'utf8'))

test.each(packages)('%s declares exactly the dependencies that it imports', (name) => {
  const manifest = readManifest(name)
  // Declarations import types of libraries that have none of their own.
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter((dependency) => !dependency.startsWith('@types/'))
    .sort()
  const imported = new Set(
    listSources(name)
      .flatMap(readImports)
      .filter((specifier) => !/^(?:[.#]|node:)/.test(specifier))
      .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')),
  )
  // Strict package managers find an optional peer only if every package in between declares it.
  const inheritedPeers =
    name === 'wabakit'
      ? (dependencies.wabakit ?? []).flatMap((each) => Object.keys(readManifest(each).peerDependencies ?? {}))
      : []
  // An adapter does not install the framework that it adapts.
  const requiredPeers = imported.has('@hono/node-server') ? ['hono'] : []
  expect(declared).toEqual([...new Set([...imported, ...inheritedPeers, ...requiredPeers])].sort())
})
