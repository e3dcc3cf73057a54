import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The settings for a workload of `counted.ts`. */
type Counting = {
  /** Number of operations per run. */
  readonly count: number
  /** The maximum accepted growth. It exceeds the variation between runs of the same version. */
  readonly tolerance: { readonly instructions: number; readonly bytes: number }
}

const warm = { instructions: 0.02, bytes: 0.05 }

/** The workload that is used to compare the processors of two machines. */
export const floor = 'the floor of P1'

/**
 * The workloads of `counted.ts`. The comments state by how much the instructions and the bytes vary between runs.
 * The bytes vary most for the start of the mock, because each process starts it only once, without a warm-up.
 */
export const countings: Readonly<Record<string, Counting>> = {
  [floor]: { count: 40_000, tolerance: { instructions: Infinity, bytes: 0.05 } },
  // 0.01% and 3%
  'P1 verify, parse and validate': { count: 40_000, tolerance: warm },
  // 0.02% and 0.1%
  'P2 receive a webhook': { count: 10_000, tolerance: warm },
  // 1.3% and 0.7%
  'P4 create a group in memory': { count: 10_000, tolerance: { instructions: 0.05, bytes: 0.05 } },
  // 0.5% and 12%
  'P8 start the mock, until its first response': { count: 1, tolerance: { instructions: 0.03, bytes: 0.2 } },
}

/** Number of runs. The lowest count is used, because interference can only increase it. */
const runs = 2

/** Flags that make V8 compile and collect garbage on one thread, in the same order on every run. */
const flags = ['--conditions=@wabakit/source', '--single-threaded', '--hash-seed=1', '--random-seed=1']

/** Returns whether the machine can count instructions. Some virtual machines cannot count them. */
export const hasInstructionCounter = (): boolean =>
  spawnSync('perf', ['stat', '-x,', '-e', 'instructions:u', 'true'], { encoding: 'utf8' }).stderr?.match(
    /^\d+,/,
  ) != null

export type Counts = { readonly bytes: number; readonly instructions?: number }

const runOnce = (checkout: string, workload: string, withPerf: boolean): Counts => {
  const { count = 1 } = countings[workload] ?? {}
  const program = [...flags, join(checkout, 'tools/bench/counted.ts'), workload, String(count)]
  const options = { cwd: checkout, encoding: 'utf8' } as const
  if (!withPerf) return JSON.parse(execFileSync(process.execPath, program, options))
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-counts-'))
  const fifos = [join(folder, 'control'), join(folder, 'acknowledgment')]
  try {
    execFileSync('mkfifo', fifos)
    const perf = ['stat', '-x,', '-e', 'instructions:u', '-D', '-1', `--control=fifo:${fifos.join(',')}`]
    const { status, stdout, stderr } = spawnSync(
      'perf',
      [...perf, process.execPath, ...program, ...fifos],
      options,
    )
    if (status !== 0) throw new Error(stderr)
    const instructions = Number(/^(\d+),/m.exec(stderr)?.[1]) / count
    return { ...JSON.parse(stdout), instructions }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Counts the bytes that each operation allocates and, if the machine can count them, the instructions it executes. */
export const countWorkload = (checkout: string, workload: string): Counts => {
  const withPerf = hasInstructionCounter()
  const all = Array.from({ length: runs }, () => runOnce(checkout, workload, withPerf))
  const bytes = Math.min(...all.map((each) => each.bytes))
  return withPerf
    ? { bytes, instructions: Math.min(...all.map((each) => each.instructions ?? NaN)) }
    : { bytes }
}
