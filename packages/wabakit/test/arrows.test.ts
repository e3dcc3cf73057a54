import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** Which siblings a room may import. Nothing else may be imported, and never by path. */
const arrows: Record<string, readonly string[]> = {
  contract: [],
  client: ['contract'],
  webhooks: ['contract'],
  core: ['contract', 'webhooks'],
  mock: ['contract', 'webhooks', 'core', 'client'],
  conformance: ['contract', 'webhooks'],
  server: ['contract', 'webhooks', 'core', 'client', 'conformance'],
  wabakit: ['contract', 'webhooks', 'core', 'client', 'mock'],
}

/** The one home of each library, and what each room may use of it. */
const libraries: Record<string, readonly string[]> = {
  contract: ['zod/mini'],
  client: ['ky'],
  webhooks: ['standardwebhooks'],
  core: [],
  conformance: [],
  mock: ['zod/mini', 'msw', 'msw/node'],
  server: [
    'zod/mini',
    'hono',
    '@hono/node-server',
    'undici',
    'ipaddr.js',
    'commander',
    'pino',
    'pino-pretty',
    'prom-client',
    'pg',
  ],
  wabakit: [],
}

/** Files that reach for `node:`; every other source runs anywhere. `server` is for Node alone. */
const nodeFiles =
  /^packages\/(?:server\/|conformance\/|webhooks\/src\/(?:node|node-request|fastify|fastify-host|hang-up-signal|lambda|hmac\/node)\.ts|mock\/src\/(?:port|listen)\.ts)/

const rooms = readdirSync(resolve(root, 'packages')).filter((name) =>
  existsSync(resolve(root, 'packages', name, 'src')),
)

const sources = (room: string): string[] =>
  globSync(`packages/${room}/src/**/*.ts`, { cwd: root }).filter(
    (file) => !/\.(?:test|test-d)\.ts$/.test(file),
  )

const importsOf = (file: string): string[] =>
  ts.preProcessFile(readFileSync(resolve(root, file), 'utf8')).importedFiles.map(({ fileName }) => fileName)

const publishedRooms = rooms.filter((room) => room !== 'bench')

test('every room is in the table of arrows', () => {
  expect(publishedRooms.filter((room) => !(room in arrows))).toEqual([])
})

test.each(publishedRooms)(
  '%s imports only what its arrows allow, by package name and through its entry',
  (room) => {
    const siblings = (arrows[room] ?? []).map((name) => `@wabakit/${name}`)
    const wrong = sources(room).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => {
          if (specifier.startsWith('.')) {
            const target = relative(resolve(root, 'packages', room), resolve(root, dirname(file), specifier))
            return !target.startsWith('src/') && target !== 'package.json'
          }
          if (specifier.startsWith('#')) return false
          if (specifier.startsWith('node:')) return !nodeFiles.test(file)
          if (builtinModules.includes(specifier)) return true
          const sibling = siblings.some((name) => specifier === name || specifier.startsWith(`${name}/`))
          return !sibling && !(libraries[room] ?? []).includes(specifier)
        })
        .map((specifier) => `${file} imports ${specifier}`),
    )
    expect(wrong).toEqual([])
  },
)

test.each(publishedRooms)('%s has no circle between its files', (room) => {
  const files = sources(room)
  const edges = new Map(
    files.map((file) => [
      file,
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(root, resolve(root, dirname(file), specifier))),
    ]),
  )
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const next of edges.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
})

const manifestOf = (room: string): Record<string, Record<string, unknown> | undefined> =>
  JSON.parse(readFileSync(resolve(root, `packages/${room}/package.json`), 'utf8'))

test.each(publishedRooms)('%s declares what it imports, and nothing else', (room) => {
  const manifest = manifestOf(room)
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).sort()
  const imported = new Set(
    sources(room)
      .flatMap(importsOf)
      .filter((specifier) => !/^(?:[.#]|node:)/.test(specifier))
      .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')),
  )
  // A package manager that is strict finds an optional peer only where each package on the way declares it.
  const passedOn =
    room === 'wabakit'
      ? (arrows.wabakit ?? []).flatMap((name) => Object.keys(manifestOf(name).peerDependencies ?? {}))
      : []
  expect(declared).toEqual([...imported, ...passedOn].sort())
})
