import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { buildJsrManifest, listJsrPackages } from './jsr.ts'

const packages = listJsrPackages(resolve(import.meta.dirname, '..'))

test.each(packages)('the jsr.json of $manifest.name matches its package.json', (each) => {
  const written: unknown = JSON.parse(readFileSync(join(each.folder, 'jsr.json'), 'utf8'))
  expect(written, 'Run: node release/jsr.ts').toEqual(buildJsrManifest(each))
  expect(written).toMatchObject({ name: each.manifest.name, version: each.manifest.version })
})

test.each(packages)('every entry in the jsr.json of $manifest.name is a source', ({ folder }) => {
  const {
    exports,
    imports,
  }: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(folder, 'jsr.json'), 'utf8'))
  const files = Object.values({ ...exports, ...imports }).filter((path) => path.startsWith('.'))
  expect(files.filter((path) => !existsSync(join(folder, path)))).toEqual([])
  expect(Object.values({ ...imports }).every((path) => /^(?:\.\/src\/|npm:|jsr:)/.test(path))).toBe(true)
})
