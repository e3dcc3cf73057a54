import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

const readDependencies = (name: string): string[] => {
  const manifest = JSON.parse(readFileSync(resolve(root, `packages/${name}/package.json`), 'utf8'))
  return Object.keys(manifest.dependencies ?? {}).flatMap((dependency) =>
    dependency.startsWith('@wabakit/') ? [dependency.slice('@wabakit/'.length)] : [],
  )
}

const findReachable = (name: string): Set<string> =>
  new Set(readDependencies(name).flatMap((dependency) => [dependency, ...findReachable(dependency)]))

/** The dependencies that no other dependency of the package brings in. */
const findDirect = (name: string): string[] => {
  const dependencies = readDependencies(name)
  return dependencies.filter(
    (each) => !dependencies.some((other) => other !== each && findReachable(other).has(each)),
  )
}

test('the diagram of the packages shows the dependencies that their manifests declare', () => {
  const page = readFileSync(resolve(root, 'docs/architecture.md'), 'utf8')
  const diagram = /<!-- packages -->([\s\S]*?)<!-- \/packages -->/.exec(page)?.[1] ?? ''
  const drawn = [...diagram.matchAll(/(\w+) --> (\w+)/g)].map(([, from, to]) => `${from} --> ${to}`)
  const published = readdirSync(resolve(root, 'packages')).filter((name) => {
    const { private: isPrivate } = JSON.parse(
      readFileSync(resolve(root, `packages/${name}/package.json`), 'utf8'),
    )
    return isPrivate !== true
  })
  const declared = published.flatMap((name) =>
    findDirect(name).map((dependency) => `${name} --> ${dependency}`),
  )
  expect(drawn.sort()).toEqual(declared.sort())
})
