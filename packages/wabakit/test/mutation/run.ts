import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// Changes the code of a package in many small ways ("mutants"), runs the tests that reach each, and lists those that none of them
// notices. `npm run mutate -- wire` mutates a package, and `npm run mutate -- core/src/delivery` a part of it. Types, static code and
// generated code are left out. It works on a copy, so other work can go on.
const folder = import.meta.dirname
const [part] = process.argv.slice(2)
if (part === undefined)
  throw new Error('Name a package or a part of one: npm run mutate -- core/src/delivery')
const path = join('packages', part.includes('/') ? part : `${part}/src`)
const files = /\.ts$/.test(path) ? path : `${path}/**/*.ts`
const mutated = [files, '!**/*.test.ts', '!**/*.test-d.ts', '!packages/wire/src/checks.ts'].join()
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const { status } = spawnSync(
  process.execPath,
  [stryker, 'run', join(folder, 'stryker.config.json'), '--mutate', mutated],
  { stdio: 'inherit', env: { ...process.env, WABAKIT_MUTATED: part.split('/')[0] } },
)
process.exitCode = status ?? 1
