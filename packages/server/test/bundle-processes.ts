import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { writeChanged } from '../../../tools/write-changed.ts'

const packageFolder = resolve(import.meta.dirname, '..')

// Next to `src`, because programs look for their manifest and its libraries from here.
const outdir = join(packageFolder, '.tmp/processes')

/** The command line and programs of these tests, as a few files each: from hundreds of sources, a process takes half as much CPU again to start. */
export const bundles = {
  command: join(outdir, 'main.js'),
  serve: join(outdir, 'serve-process.js'),
  write: join(outdir, 'sqlite-writer.js'),
}

/** Builds them before the tests. */
export const setup = async (): Promise<void> => {
  const { outputFiles } = await build({
    entryPoints: ['src/cli/main.ts', 'test/serve-process.ts', 'test/sqlite-writer.ts'].map((file) =>
      join(packageFolder, file),
    ),
    entryNames: '[name]',
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@wabakit/source'],
    plugins: [
      {
        // Zod has a hundred files, which take a fifth of the time to start.
        name: 'other-libraries-are-external',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./#]/ }, ({ path }) =>
            /^(?:@wabakit|zod)\//.test(path) ? undefined : { path, external: true },
          ),
      },
    ],
  })
  mkdirSync(outdir, { recursive: true })
  for (const { path, text } of outputFiles) writeChanged(path, text)
}
