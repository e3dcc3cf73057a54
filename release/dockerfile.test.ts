import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { listPackages } from './packages.ts'

const root = resolve(import.meta.dirname, '..')

/** Lists a package and those of this repository that it depends on. */
const listNeeded = (name: string): string[] => {
  const found = listPackages(root).find(({ manifest }) => manifest.name === name)
  return found ? [name, ...Object.keys(found.manifest.dependencies ?? {}).flatMap(listNeeded)] : []
}

test('the image contains the tarballs of the server and of everything that it depends on, and no others', () => {
  const copied = readFileSync(resolve(root, 'Dockerfile'), 'utf8').match(/(?<=\.release\/)\S+(?=-\*\.tgz)/g)
  const needed = listNeeded('@wabakit/server').map((name) => name.slice(1).replace('/', '-'))
  expect(copied?.toSorted()).toEqual([...new Set(needed)].toSorted())
})
