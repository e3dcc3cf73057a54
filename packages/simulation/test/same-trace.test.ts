import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

type Outcome = { readonly hashes: readonly string[]; readonly violations: readonly string[] }

/** Runs seeds in a process of their own. */
const runSeeds = async (...seeds: readonly number[]): Promise<Outcome> => {
  const script = join(import.meta.dirname, 'run-seeds.ts')
  const args = ['--conditions=@wabakit/source', script, ...seeds.map(String)]
  const { stdout } = await run(process.execPath, args)
  return JSON.parse(stdout)
}

test('a seed has the same trace in every process, to the byte, and whatever ran before it', async () => {
  const [all, again, last] = await Promise.all([runSeeds(1, 20), runSeeds(1, 20), runSeeds(20, 1)])
  expect(all.hashes).toHaveLength(20)
  expect(again).toEqual(all)
  expect(last.hashes).toEqual(all.hashes.slice(-1))
  expect(new Set(all.hashes).size).toBe(20)
})

test('no invariant is broken in the first runs', async () => {
  const { violations } = await runSeeds(1_000, 100)
  expect(violations).toEqual([])
})
