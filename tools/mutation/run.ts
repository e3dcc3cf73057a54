import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createSeededRandom } from '../../packages/conformance/src/seeded-random.ts'

// Changes the code of a package in many small ways ("mutants"), runs the tests that reach each, and lists those that no
// test detects. Types, static code and generated code are excluded. It works on a copy, so other work can continue.
//
//   npm run mutate -- wire                  a package
//   npm run mutate -- core/src/delivery     a part of one
//   npm run mutate -- core --sample 40      places of ten lines, drawn at random: an estimate within minutes
//   npm run mutate -- --changed main        lines that changed since a commit
const folder = import.meta.dirname
const root = resolve(folder, '../..')
const packages = ['wire', 'webhooks', 'client', 'core']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    changed: { type: 'string' },
  },
})

const isMutable = (file: string): boolean =>
  /\.ts$/.test(file) && !/\.test(?:-d)?\.ts$|^packages\/wire\/src\/checks\.ts$/.test(file)

const listFiles = (part: string): string[] => {
  const path = join('packages', part.includes('/') ? part : `${part}/src`)
  return globSync(path.endsWith('.ts') ? path : `${path}/**/*.ts`, { cwd: root })
    .filter(isMutable)
    .sort()
}

/** Picks random places of ten lines, each at most once. The same seed picks the same ones. */
const drawPlaces = (files: readonly string[], count: number, seed: number): string[] => {
  const places = files.flatMap((file) => {
    const { length } = readFileSync(join(root, file), 'utf8').split('\n')
    return Array.from({ length: Math.ceil(length / 10) }, (_, n) => `${file}:${10 * n + 1}-${10 * n + 10}`)
  })
  const random = createSeededRandom(seed)
  const drawn: string[] = []
  while (drawn.length < count && places.length > 0)
    drawn.push(...places.splice(Math.floor(random() * places.length), 1))
  return drawn
}

/** Lists lines that were added or changed since a commit. */
const listChanged = (since: string, name: string): string[] => {
  const diff = execFileSync('git', ['diff', '--unified=0', since, '--', `packages/${name}/src`], {
    cwd: root,
    encoding: 'utf8',
  })
  return diff.split(/^diff --git /m).flatMap((part) => {
    const file = /^\+\+\+ b\/(.+)$/m.exec(part)?.[1] ?? ''
    if (!isMutable(file)) return []
    return [...part.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(([, first = '', count = '1']) =>
      count === '0' ? [] : `${file}:${first}-${Number(first) + Number(count) - 1}`,
    )
  })
}

const mutate = (name: string, places: readonly string[]): void => {
  const { status } = spawnSync(
    process.execPath,
    [
      join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
      ...['run', join(folder, 'stryker.config.json'), '--mutate', places.join()],
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, WABAKIT_MUTATED: name } },
  )
  if (status !== 0) process.exitCode = status ?? 1
}

const [part] = positionals
if (values.changed !== undefined) {
  for (const name of packages) {
    const places = listChanged(values.changed, name)
    console.log(`${name}: ${places.length} places changed since ${values.changed}`)
    if (places.length > 0) mutate(name, places)
  }
} else if (part === undefined) {
  throw new Error('Name a package or a part of one: npm run mutate -- core/src/delivery')
} else {
  const files = listFiles(part)
  const [name = ''] = part.split('/')
  mutate(
    name,
    values.sample === undefined ? files : drawPlaces(files, Number(values.sample), Number(values.seed)),
  )
}
