import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)

/** Imports a bundler that is installed in this folder, apart from the types of this repository. */
const load = (name: string) => import(name)

type Paths = { readonly entry: string; readonly output: string }

const buildWithPacks = async (packs: string, { entry, output }: Paths): Promise<string> => {
  const { default: bundler, webpack = bundler, rspack = webpack } = await load(packs)
  const stats = await promisify(rspack)({
    mode: 'production',
    target: 'node22',
    entry,
    experiments: { outputModule: true },
    output: { path: dirname(output), filename: basename(output), module: true },
  })
  if (stats.hasErrors()) throw new Error(stats.toString())
  return rspack.version
}

/** Bundles an entry for Node.js with each bundler. Each returns its version. */
export const bundlers: Record<string, (paths: Paths) => Promise<string>> = {
  esbuild: async ({ entry, output }) => {
    await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: output })
    return (await import('esbuild')).version
  },
  Vite: async ({ entry, output }) => {
    const { build: buildWithVite, version } = await import('vite')
    await buildWithVite({
      configFile: false,
      root: dirname(entry),
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: dirname(output),
        emptyOutDir: false,
        rolldownOptions: { output: { entryFileNames: basename(output) } },
      },
    })
    return version
  },
  Rollup: async ({ entry, output }) => {
    const [{ rollup, VERSION }, { default: resolveNode }] = await Promise.all([
      load('rollup'),
      load('@rollup/plugin-node-resolve'),
    ])
    const bundle = await rollup({
      input: entry,
      plugins: [resolveNode({ exportConditions: ['node'] })],
      onLog: () => {},
    })
    await bundle.write({ file: output, format: 'es', inlineDynamicImports: true })
    return VERSION
  },
  webpack: (paths) => buildWithPacks('webpack', paths),
  Rspack: (paths) => buildWithPacks('@rspack/core', paths),
}

/** Bundles the checks with the packages installed in a project, and runs them. Returns the version of the bundler. */
export const checkBundle = async (
  name: string,
  { project, url, refusedUrl }: { project: string; url: string; refusedUrl: string },
): Promise<string> => {
  const folder = join(project, 'bundles')
  mkdirSync(folder, { recursive: true })
  // As JavaScript, because not every bundler compiles TypeScript.
  const entry = join(folder, 'checks.mjs')
  await build({
    entryPoints: [join(project, 'checks/main.ts')],
    bundle: true,
    packages: 'external',
    format: 'esm',
    outfile: entry,
  })
  const output = join(folder, name, 'bundle.mjs')
  const version = await bundlers[name]?.({ entry, output })
  await run(process.execPath, [output, url, refusedUrl], { cwd: folder })
  return version ?? ''
}
