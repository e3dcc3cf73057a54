import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)

type Paths = { readonly entry: string; readonly output: string }

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
