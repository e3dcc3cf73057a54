import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProblems } from './find-problems.ts'
import type { Manifest } from './packages.ts'

const address = {
  license: 'MIT',
  homepage: 'https://github.com/wabakit/wabakit#readme',
  bugs: 'https://github.com/wabakit/wabakit/issues',
}
const repository = { type: 'git', url: 'git+https://github.com/wabakit/wabakit.git' }

const sound: Readonly<Record<string, string>> = {
  LICENSE: 'MIT',
  'README.md':
    '# Client\n[Errors](https://github.com/wabakit/wabakit/blob/main/docs/reference/errors.md#one)',
  'CHANGELOG.md': '# wabakit\n\n## 1.2.3\n\n- Sends.\n',
  'dist/index.js': '',
  'dist/index.js.map': '{"sources":["../src/index.ts"]}',
  'src/index.ts': '',
}

/** Writes a repository with one package, and finds its problems. */
const findIn = (changes: Readonly<Record<string, string | undefined>>, manifest: Partial<Manifest> = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'wabakit-tarball-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (file: string, text: string): void => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  write('package.json', JSON.stringify({ ...address, repository }))
  write('LICENSE', 'MIT')
  write('docs/reference/errors.md', '# Errors\n\n## One\n')
  const folder = join(root, 'packages/client')
  const files = Object.entries({ ...sound, ...changes }).flatMap(([file, text]) => {
    if (text === undefined) return []
    write(join('packages/client', file), text)
    return file
  })
  return findProblems(
    {
      folder,
      manifest: {
        name: '@wabakit/client',
        version: '1.2.3',
        ...address,
        repository: { ...repository, directory: 'packages/client' },
        engines: { node: '>=22.13.0' },
        exports: { '.': { default: './dist/index.js' } },
        scripts: { prepack: 'build' },
        ...manifest,
      },
      filename: 'client.tgz',
      size: 1,
      unpackedSize: 1,
      files,
    },
    root,
  )
}

test('a sound tarball has no problems', () => {
  expect(findIn({})).toEqual([])
})

test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
  ['a test', { 'src/index.test.ts': '' }, 'contains src/index.test.ts'],
  ['a snapshot', { 'src/__snapshots__/a.snap': '' }, 'contains src/__snapshots__/a.snap'],
  ['an unexpected file', { '.env': '' }, 'contains .env'],
  ['no license', { LICENSE: undefined }, 'lacks LICENSE'],
  ['another license', { LICENSE: 'mine' }, "its LICENSE differs from the repository's"],
  ['no build', { 'dist/index.js': undefined }, 'lacks dist/index.js, which it exports'],
  [
    'the sources twice',
    { 'dist/index.js.map': '{"sources":["../src/index.ts"],"sourcesContent":["code"]}' },
    'dist/index.js.map copies the sources, which are in src/',
  ],
  [
    'a map without its source',
    { 'src/index.ts': undefined },
    'dist/index.js.map names src/index.ts, which is not packed',
  ],
  [
    'a changelog for other versions',
    { 'CHANGELOG.md': '# wabakit\n\n## 1.2.2\n\n- Sends.\n' },
    'its CHANGELOG.md does not list the changes in 1.2.3',
  ],
  [
    'an empty changelog entry',
    { 'CHANGELOG.md': '# wabakit\n\n## 1.2.3\n\n## 1.2.2\n\n- Sends.\n' },
    'its CHANGELOG.md does not list the changes in 1.2.3',
  ],
  ['a relative link', { 'README.md': '[a](../b.md)' }, 'README.md has a broken or relative link: ../b.md'],
  [
    'a link to a heading that does not exist',
    { 'README.md': '[a](https://github.com/wabakit/wabakit/blob/main/docs/reference/errors.md#two)' },
    'README.md has a broken or relative link: https://github.com/wabakit/wabakit/blob/main/docs/reference/errors.md#two',
  ],
])('a tarball with %s has a problem', (_, changes, problem) => {
  expect(findIn(changes)).toEqual([problem])
})

test('a manifest must name the repository, the oldest Node.js and a script that builds', () => {
  expect(findIn({}, { repository, engines: {}, scripts: {} })).toEqual([
    `the repository of its package.json is not ${JSON.stringify({ ...repository, directory: 'packages/client' })}`,
    'its engines do not name the oldest Node.js',
    'has no prepack script',
  ])
})

test('a package that has grown beyond its limit has a problem', () => {
  expect(findIn({}, { name: '@wabakit/unknown' })).toEqual(['has 1 bytes, more than its limit of 0'])
})
