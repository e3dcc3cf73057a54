import { globSync, readFileSync, writeFileSync } from 'node:fs'

// The sources of `wabakit` are re-exports, so they are their own declarations. A bundler would drop the imports that tell
// TypeScript where types have their names.
for (const file of globSync('packages/wabakit/src/**/*.ts', { exclude: ['**/bin.ts'] }))
  writeFileSync(
    file.replace('/src/', '/dist/').replace(/ts$/, 'd.ts'),
    readFileSync(file, 'utf8').replaceAll(".ts'", ".js'"),
  )

// Copies each `.d.ts` of the builds as `.d.cts`, for the condition `require`. To TypeScript, a `.d.ts` here declares an ES
// module, which CommonJS may import only with `module: nodenext` of TypeScript 5.8 or later. The code exists once: Node.js
// requires the same ES modules, so `instanceof` works across `import` and `require`.

/**
 * ES modules without declarations for `require`. Our declarations import only their types, which may come
 * from an ES module.
 */
const esModules = ['ky']

const toCommonJs = (declarations: string): string =>
  esModules.reduce(
    (text, name) =>
      text.replace(
        new RegExp(`^import (?:type )?(.+) from '${name}';$`, 'gm'),
        `import type $1 from '${name}' with { 'resolution-mode': 'import' };`,
      ),
    declarations.replace(/((?: from|^import) '\.[^']+)\.js'/gm, "$1.cjs'"),
  )

for (const file of globSync('packages/*/dist/**/*.d.ts'))
  writeFileSync(file.replace(/ts$/, 'cts'), toCommonJs(readFileSync(file, 'utf8')))
