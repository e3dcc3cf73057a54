import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

type Outcome = { readonly hashes: readonly string[]; readonly violations: readonly string[] }

type Range = readonly [first: number, count: number]

/** Flags for a process whose clocks run so fast that everything seems to take long. */
export const slowMachine = ['--import', join(import.meta.dirname, 'slow-machine.ts')]

/** Runs seeds in a separate process. */
export const runSeeds = async (
  seeds: Range,
  { flags = [], env = {} }: { readonly flags?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> => {
  const script = join(import.meta.dirname, 'run-seeds.ts')
  const args = [...flags, '--conditions=@wabakit/source', script, ...seeds.map(String)]
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } })
  return JSON.parse(stdout)
}
