import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Size of a bundle. */
export type BundleSize = { readonly 'minified kB': number; readonly 'gzipped kB': number }

const measureBundle = async (contents: string): Promise<BundleSize> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*', 'crypto'],
    conditions: process.argv.includes('--source') ? ['@wabakit/source'] : [],
    write: false,
  })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  return { 'minified kB': bytes.length / 1000, 'gzipped kB': gzipSync(bytes, { level: 9 }).length / 1000 }
}

/** Bundles each module with all its dependencies. Uses the built packages, or with `--source` their sources. */
export const measureBundles = async (
  modules: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, BundleSize>>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(modules).map(async ([name, contents]) => [name, await measureBundle(contents)] as const),
    ),
  )
