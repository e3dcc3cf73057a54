import { build } from 'esbuild'

/** Bundles a module with the packages installed in `dir`, or, with `fromSources`, with the sources of this repository. */
export const bundle = async (source: string, dir: string, fromSources = false): Promise<string> => {
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
