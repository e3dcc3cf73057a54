import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)
const importsBuiltin = /(?:from|import|require)\s*\(?\s*["']node:/

/** Imports a bundler that is installed in this folder, without its types. */
const load = (name: string) => import(name)

type Platform = 'node' | 'browser'
type Bundling = { readonly entry: string; readonly output: string; readonly platform: Platform }

const buildWithPacks = async (packs: string, { entry, output, platform }: Bundling): Promise<string> => {
  const { default: bundler, rspack = bundler } = await load(packs)
  const stats = await promisify(rspack)({
    mode: 'production',
    target: platform === 'node' ? 'node22' : ['web', 'es2022'],
    entry,
    experiments: { outputModule: true },
    output: { path: dirname(output), filename: basename(output), module: true },
    performance: { hints: false },
  })
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString())
  return rspack.rspackVersion ?? rspack.version
}

/** Bundles an entry with each bundler. Each returns its version. */
export const bundlers: Record<string, (bundling: Bundling) => Promise<string>> = {
  esbuild: async ({ entry, output, platform }) => {
    await build({ entryPoints: [entry], bundle: true, platform, format: 'esm', outfile: output })
    return (await import('esbuild')).version
  },
  Vite: async ({ entry, output, platform }) => {
    const { build: buildWithVite, version } = await import('vite')
    await buildWithVite({
      configFile: false,
      root: dirname(entry),
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: platform === 'node',
        outDir: dirname(output),
        emptyOutDir: false,
        rolldownOptions: { input: entry, output: { entryFileNames: basename(output) } },
      },
    })
    return version
  },
  Rollup: async ({ entry, output, platform }) => {
    const [{ rollup, VERSION }, { default: nodeResolve }, { default: commonjs }] = await Promise.all([
      load('rollup'),
      load('@rollup/plugin-node-resolve'),
      load('@rollup/plugin-commonjs'),
    ])
    const bundle = await rollup({
      input: entry,
      plugins: [
        nodeResolve({ exportConditions: [platform], preferBuiltins: platform === 'node' }),
        commonjs(),
      ],
      // Ignores warnings about comments and cycles in zod.
      onLog: () => {},
    })
    await bundle.write({ file: output, format: 'es', inlineDynamicImports: true })
    return VERSION
  },
  webpack: (bundling) => buildWithPacks('webpack', bundling),
  Rspack: (bundling) => buildWithPacks('@rspack/core', bundling),
}

/**
 * Bundles the checks with the packages installed in a project, for Node.js and for browsers, and runs both bundles in Node.js.
 * Returns the version of the bundler.
 */
export const checkBundle = async (
  name: string,
  { project, url, refusedUrl }: { project: string; url: string; refusedUrl: string },
): Promise<string> => {
  const folder = join(project, 'bundles')
  mkdirSync(folder, { recursive: true })
  // The entry is JavaScript, because not every bundler compiles TypeScript.
  const entry = join(folder, 'checks.mjs')
  await build({
    entryPoints: [join(project, 'checks/main.ts')],
    bundle: true,
    packages: 'external',
    format: 'esm',
    outfile: entry,
  })
  let version = ''
  for (const platform of ['node', 'browser'] as const) {
    const output = join(folder, name, `${platform}.mjs`)
    version = (await bundlers[name]?.({ entry, output, platform })) ?? ''
    if (platform === 'browser' && importsBuiltin.test(readFileSync(output, 'utf8')))
      throw new Error(`The bundle of ${name} for browsers imports Node.js modules.`)
    await run(process.execPath, [output, url, refusedUrl], { cwd: folder, timeout: 60_000 })
  }
  return version
}
