import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Tarball } from './pack.ts'

const run = promisify(execFile)

/** Programs that examine a tarball: its manifest, and its types as each kind of import finds them. */
const linters = [
  ['publint/src/cli.js', '--strict'],
  // Both rules want a CommonJS build, but Node.js requires our ES modules.
  [
    '@arethetypeswrong/cli/dist/index.js',
    '--ignore-rules',
    'false-cjs',
    'cjs-resolves-to-esm',
    '--profile',
    'node16',
  ],
] as const

const lint = async (tarball: string, root: string): Promise<void> => {
  for (const [script, ...options] of linters) {
    const args = [join(root, 'node_modules', script), ...options, tarball]
    await run(process.execPath, args).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${script} finds problems in ${tarball}:\n${stdout}${stderr}`)
    })
  }
}

/**
 * Examines tarballs with the usual linters.
 *
 * @throws Error with the findings of the first one that has any.
 */
export const lintTarballs = async (
  tarballs: readonly Tarball[],
  { root, folder }: { readonly root: string; readonly folder: string },
): Promise<void> => {
  await Promise.all(tarballs.map(({ filename }) => lint(join(folder, filename), root)))
}
