import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compare } from './src/compare.ts'
import { checkCounts, compareCounts, recordCounts } from './src/compare-counts.ts'
import { formatGoalsPage, formatPage } from './src/performance-page.ts'
import { printGoals, readResults } from './src/result.ts'

// npm run bench -- [names or goals] [--force] [--rounds 3] [--long] [--peers] [--compare <git ref> [--turns 5 | --counts]]
// npm run bench -- --counts [--update]
//
// Runs the named benchmarks, or the benchmarks of all goals, each in a separate process. Each one prints a table and
// writes results/<name>.json. At the end, this script prints the goals, and writes docs/reference/performance.md and GOALS.md.
// Nothing is recorded if the machine was busy before the first benchmark, unless `--force` is set.
// With `--counts`, it compares two versions by instructions and bytes instead of times. Without `--compare`, it
// compares this version with counts.json, as CI does. `--update` writes counts.json.

/** The goal of each benchmark. Some benchmarks have no goal. */
const benchmarks: Readonly<Record<string, string>> = {
  'webhooks-verify': 'P1',
  'webhooks-receiver': 'P2',
  'webhooks-inbox': 'P11',
  'inbox-postgres': 'P14',
  'client-call': 'P3',
  'server-create': 'P4',
  'server-deliveries': 'P5',
  'server-deliveries-postgres': 'P5',
  'store-growth': 'P6',
  'server-dead-endpoint': 'P6',
  'server-fairness': 'P6',
  'server-names': 'P6',
  'server-memory': 'P6',
  overview: 'P13',
  'bundle-size': 'P7',
  'received-bytes': 'P12',
  'refused-bodies': 'P15',
  restarts: 'P15',
  'server-start': 'P8',
  'mock-start': 'P8',
  'server-held-snapshot': '',
  'server-processes': '',
  storage: '',
}
/** Time limit of a benchmark, in milliseconds. `--long` extends it to two hours. */
const limitMs = 30 * 60_000
const longFactor = 4

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    long: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    compare: { type: 'string' },
    turns: { type: 'string', default: '5' },
    counts: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
  },
})

/** The load above which figures mostly reflect other work of the machine. */
const maxLoad = 1.5

/**
 * Returns the folder for the results. If the machine is busy, it is not the folder of the committed results.
 */
const chooseFolder = (): string | undefined => {
  const [load = 0] = loadavg()
  const { BENCH_RESULTS } = process.env
  if (BENCH_RESULTS !== undefined || load < maxLoad || values.force) return BENCH_RESULTS
  console.error(
    `The load of this machine is ${load.toFixed(1)}, so the results are not recorded. Wait until it is below ${maxLoad}, or pass --force.`,
  )
  return mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
}

const runOne = async (name: string, folder: string | undefined): Promise<boolean> => {
  console.log(`\n# ${name}`)
  const options = [values.long && '--long', values.peers && '--peers'].filter((option) => option !== false)
  const file = join(import.meta.dirname, `${name}.ts`)
  const child = spawn(process.execPath, ['--conditions=@wabakit/source', file, ...options], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(values.rounds !== undefined && { BENCH_ROUNDS: values.rounds }),
      ...(folder !== undefined && { BENCH_RESULTS: folder }),
      ...(values.force && { BENCH_FORCED: 'true' }),
    },
    timeout: limitMs * (values.long ? longFactor : 1),
  })
  const [code, signal] = await once(child, 'exit')
  if (child.killed) console.error(`${name} was stopped, because it took longer than its time limit.`)
  else if (code !== 0) console.error(`${name} ended with ${signal ?? code}.`)
  return code === 0
}

const run = async (names: readonly string[]): Promise<boolean> => {
  const folder = chooseFolder()
  const failed: string[] = []
  for (const name of names) if (!(await runOne(name, folder))) failed.push(name)
  const results = readResults(folder)
  printGoals(
    'Goals',
    names.flatMap((name) => (failed.includes(name) ? [] : (results.get(name)?.goals ?? []))),
  )
  if (failed.length > 0) console.error(`These benchmarks failed: ${failed.join(', ')}.`)
  if (folder === undefined) {
    writeFileSync(resolve(import.meta.dirname, '../../docs/reference/performance.md'), formatPage(results))
    writeFileSync(join(import.meta.dirname, 'GOALS.md'), formatGoalsPage(results))
  }
  return failed.length === 0
}

const all = Object.keys(benchmarks)
const unknown = positionals.filter((each) => !all.includes(each) && !Object.values(benchmarks).includes(each))
const names =
  positionals.length > 0
    ? all.filter((name) => positionals.includes(name) || positionals.includes(benchmarks[name] ?? ''))
    : all.filter((name) => benchmarks[name] !== '')

if (unknown.length > 0) {
  const known = [...new Set(Object.values(benchmarks)), ...all].filter((each) => each !== '')
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
  process.exitCode = 2
} else if (values.compare !== undefined && values.counts) {
  process.exitCode = (await compareCounts(values.compare)) ? 0 : 1
} else if (values.counts && values.update) {
  recordCounts()
} else if (values.counts) {
  process.exitCode = checkCounts() ? 0 : 1
} else if (values.compare !== undefined) {
  const { compare: reference, turns, rounds } = values
  process.exitCode = (await compare({ reference, names, turns: Number(turns), rounds })) ? 0 : 1
} else {
  process.exitCode = (await run(names)) ? 0 : 1
}
