import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from './measure.ts'
import { formatTime, printTable, type Result, readResults } from './result.ts'

export type CompareOptions = {
  /** A commit, branch or tag. */
  readonly reference: string
  readonly names: readonly string[]
  /** Number of runs per benchmark and version. */
  readonly turns: number
  /** Number of rounds per run. @default the number that each benchmark specifies */
  readonly rounds?: string | undefined
}

export const root = resolve(import.meta.dirname, '../../..')

/** Links each package in `node_modules`. Copies relative links unchanged, so that they point into the checkout. */
const linkModules = (from: string, to: string): void => {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    if (entry.name.startsWith('@')) linkModules(source, join(to, entry.name))
    else symlinkSync(entry.isSymbolicLink() ? readlinkSync(source) : source, join(to, entry.name))
  }
}

/** Checks out another version with the benchmarks and dependencies of this one, so that only the packages differ. */
const checkOut = (reference: string, folder: string): void => {
  execFileSync('git', ['worktree', 'add', '--detach', '--quiet', folder, reference], { cwd: root })
  linkModules(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of readdirSync(join(folder, 'packages')))
    linkModules(join(root, 'packages', name, 'node_modules'), join(folder, 'packages', name, 'node_modules'))
  rmSync(join(folder, 'tools/bench'), { recursive: true, force: true })
  cpSync(join(root, 'tools/bench'), join(folder, 'tools/bench'), { recursive: true })
}

/** Calls `use` with a checkout of another version, and removes the checkout afterwards. */
export const withCheckout = async (reference: string, use: (folder: string) => unknown): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-compare-'))
  // If this process is root, PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  const checkout = join(folder, 'checkout')
  try {
    checkOut(reference, checkout)
    await use(checkout)
  } finally {
    if (existsSync(checkout)) execFileSync('git', ['worktree', 'remove', '--force', checkout], { cwd: root })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a benchmark of a checkout and discards its output. Returns its result, or `undefined` if it fails. */
export const runBenchmark = (
  checkout: string,
  name: string,
  env: NodeJS.ProcessEnv = {},
): Result | undefined => {
  const results = mkdtempSync(join(tmpdir(), 'wabakit-results-'))
  try {
    const file = join(checkout, 'tools/bench', `${name}.ts`)
    const { status } = spawnSync(process.execPath, ['--conditions=@wabakit/source', file], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env, BENCH_RESULTS: results },
    })
    return status === 0 ? readResults(results).get(name) : undefined
  } finally {
    rmSync(results, { recursive: true })
  }
}

type Times = Map<string, number[]>

const formatTimes = (times: readonly number[]): string =>
  `${formatTime(median(times))} (${formatTime(Math.min(...times))} – ${formatTime(Math.max(...times))})`

/**
 * Runs benchmarks alternately on this checkout and on another version. A row counts as slower if its fastest turn takes
 * longer than the slowest turn of the other version.
 *
 * @returns whether all benchmarks ran and no row is slower.
 */
export const compare = async ({ reference, names, turns, rounds }: CompareOptions): Promise<boolean> => {
  const times = { there: new Map() as Times, here: new Map() as Times }
  let isComplete = true

  const measure = (side: keyof typeof times, name: string, checkout: string): void => {
    const result = runBenchmark(checkout, name, rounds === undefined ? {} : { BENCH_ROUNDS: rounds })
    if (result === undefined) {
      console.error(`${name} failed in ${side === 'here' ? 'this checkout' : reference}.`)
      isComplete = false
    }
    for (const row of result?.rows ?? []) {
      const key = `${name}: ${row.name}`
      times[side].set(key, [...(times[side].get(key) ?? []), row.time])
    }
  }

  await withCheckout(reference, (other) => {
    for (const name of names)
      for (let turn = 0; turn < turns; turn += 1)
        for (const side of turn % 2 === 0 ? (['there', 'here'] as const) : (['here', 'there'] as const))
          measure(side, name, side === 'here' ? root : other)
  })

  const slower: string[] = []
  const table: Record<string, object> = {}
  for (const [line, here] of times.here) {
    const there = times.there.get(line)
    if (there === undefined) continue
    if (Math.min(...here) > Math.max(...there)) slower.push(line)
    table[line] = {
      [reference]: formatTimes(there),
      here: formatTimes(here),
      ratio: (median(here) / median(there)).toFixed(2),
      slower: slower.includes(line) ? 'YES' : '',
    }
  }
  printTable(`Median of ${turns} turns (fastest – slowest)`, table)
  if (slower.length > 0) console.error(`Slower than ${reference} beyond the spread: ${slower.join('; ')}.`)
  return isComplete && slower.length === 0
}
