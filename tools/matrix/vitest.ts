import { execFile } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

/** Compiles the example with the types of vitest 4; the rest of the repository uses vitest 5. */
export const checkVitestTypes = async (vitest: string, project: string): Promise<string[]> => {
  const files = ['mock.ts', 'order.test.ts']
  for (const file of files)
    cpSync(join(root, 'examples/testing-vitest', file), join(project, 'vitest4', file))
  symlinkSync(vitest, join(project, 'node_modules/vitest'))
  const flags =
    '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --allowImportingTsExtensions'
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [compiler, ...flags.split(' '), ...files], {
    cwd: join(project, 'vitest4'),
  }).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout)
  })
  return ['the declaration of the matcher compiles']
}
