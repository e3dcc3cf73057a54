import { build } from 'esbuild'

/**
 * Bundles `source` for a runtime without modules of its own. In `dir`: from what is installed there; with
 * `fromSources`: from this repository's sources.
 */
export const bundle = async (source: string, dir: string, fromSources: boolean): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: dir, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: fromSources ? ['@wabakit/source'] : [],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
