import { existsSync, globSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const packages = ['wire', 'contract', 'webhooks', 'core']

const newest = (pattern: string): number =>
  Math.max(0, ...globSync(here(pattern)).map((path) => statSync(path).mtimeMs))

/** Set if the built packages exist and are newer than their sources. */
export const isBuilt = packages.every((name) => {
  const folder = `../../../${name}`
  if (!existsSync(here(`${folder}/dist/index.js`))) return false
  return newest(`${folder}/src/**/!(*.test|*.test-d).ts`) <= newest(`${folder}/dist/**/*.js`)
})

/** The input of a bundle: the sources, or the packages as published. */
export type Origin = 'sources' | 'built packages'

/** Bundles an entry for a runtime without Node. */
export const bundle = async (entry: string, origin: Origin): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    write: false,
    format: entry.includes('worker') ? 'esm' : 'iife',
    platform: 'browser',
    target: 'es2022',
    conditions: origin === 'sources' ? ['@wabakit/source'] : [],
  })
  return outputFiles[0]?.text ?? ''
}
