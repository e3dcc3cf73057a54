import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles an entry, from the sources, for a runtime without Node. */
export const bundle = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    format: entry.includes('worker') ? 'esm' : 'iife',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@wabakit/source'],
  })
  return outputFiles[0]?.text ?? ''
}
