import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { findBrokenLinks } from './links.ts'
import type { Tarball } from './pack.ts'
import { readManifest } from './packages.ts'

/** The maximum unpacked size of each package in kB: about 10% above the current size. */
const limits: Readonly<Record<string, number>> = {
  '@wabakit/wire': 285,
  '@wabakit/contract': 320,
  '@wabakit/client': 260,
  '@wabakit/webhooks': 1_000,
  '@wabakit/core': 2_100,
  '@wabakit/mock': 620,
  '@wabakit/conformance': 990,
  '@wabakit/server': 2_650,
  wabakit: 40,
}

const allowed =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|AGENTS\.md|dist\/.+\.(?:js|js\.map|d\.c?ts)|dist\/inspector\/.+\.(?:html|css|svg)|src\/.+\.ts|vectors\/.+\.json)$/
const forbidden = /(?:\.test\.ts|\.test-d\.ts|__snapshots__|\.snap)$/

const listTargets = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(listTargets)

/** Finds the sources that a source map names, as paths in its package, and whether it copies them. */
const readMap = (folder: string, file: string): { sources: string[]; isCopying: boolean } => {
  const { sources, sourcesContent }: { sources: string[]; sourcesContent?: string[] } = JSON.parse(
    readFileSync(join(folder, file), 'utf8'),
  )
  const paths = sources.map((source) => posix.join(dirname(file), source))
  return { sources: paths, isCopying: (sourcesContent ?? []).some((text) => text !== null) }
}

function* findFileProblems({ folder, manifest, files }: Tarball): Generator<string> {
  for (const file of files) {
    if (!allowed.test(file) || forbidden.test(file)) yield `contains ${file}`
    if (!file.endsWith('.map')) continue
    const { sources, isCopying } = readMap(folder, file)
    if (isCopying) yield `${file} copies the sources, which are in src/`
    for (const source of sources)
      if (!files.includes(source)) yield `${file} names ${source}, which is not packed`
  }
  const required = ['LICENSE', 'README.md', ...(manifest.version === '0.0.0' ? [] : ['CHANGELOG.md'])]
  for (const file of required) if (!files.includes(file)) yield `lacks ${file}`
  const targets = [manifest.exports, manifest.bin].flatMap(listTargets).map((target) => target.slice(2))
  for (const target of new Set(targets))
    if (!files.includes(target)) yield `lacks ${target}, which it exports`
}

function* findManifestProblems({ folder, manifest }: Tarball, root: string): Generator<string> {
  const { license, homepage, bugs, repository } = readManifest(root)
  const directory = posix.join('packages', folder.slice(join(root, 'packages').length + 1))
  const expected = { license, homepage, bugs, repository: { ...repository, directory } }
  for (const [name, value] of Object.entries(expected)) {
    if (!isDeepStrictEqual(manifest[name as keyof typeof expected], value))
      yield `the ${name} of its package.json is not ${JSON.stringify(value)}`
  }
  if (!/^>=\d+\.\d+\.\d+$/.test(manifest.engines?.node ?? ''))
    yield 'its engines do not name the oldest Node.js'
  if (manifest.scripts?.prepack === undefined) yield 'has no prepack script'
}

function* findTextProblems({ folder, manifest, files }: Tarball, root: string): Generator<string> {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const url = (readManifest(root).repository?.url ?? '').replace(/^git\+|\.git$/g, '')
  for (const page of files.filter((file) => /^(?:README|AGENTS)\.md$/.test(file)))
    for (const link of findBrokenLinks(read(page), { root, url }))
      yield `${page} has a broken or relative link: ${link}`
  if (files.includes('LICENSE') && read('LICENSE') !== readFileSync(join(root, 'LICENSE'), 'utf8'))
    yield "its LICENSE differs from the repository's"
  if (!files.includes('CHANGELOG.md')) return
  const [, section = ''] = read('CHANGELOG.md').split(/^## .*$/m)
  if (!read('CHANGELOG.md').includes(`\n## ${manifest.version}\n`) || section.trim() === '')
    yield `its CHANGELOG.md does not list the changes in ${manifest.version}`
}

/** Finds the problems of a package's tarball. */
export const findProblems = (tarball: Tarball, root: string): string[] => {
  const limit = (limits[tarball.manifest.name] ?? 0) * 1_000
  const size =
    tarball.unpackedSize > limit ? [`has ${tarball.unpackedSize} bytes, more than its limit of ${limit}`] : []
  return [
    ...size,
    ...findFileProblems(tarball),
    ...findManifestProblems(tarball, root),
    ...findTextProblems(tarball, root),
  ]
}
