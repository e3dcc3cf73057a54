import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, withCheckout } from './compare.ts'
import { countings, countWorkload, hasInstructionCounter } from './counts.ts'
import { printTable, readResults } from './result.ts'

/** A figure that must not grow, by its name. */
type Figures = ReadonlyMap<string, { readonly value: number; readonly tolerance: number }>

/** Sizes do not vary. A new feature may cost a little. */
const sizeTolerance = 0.01

const measureSizes = (checkout: string): Figures => {
  const results = mkdtempSync(join(tmpdir(), 'wabakit-sizes-'))
  try {
    const file = join(checkout, 'packages/bench/bundle-size.ts')
    const env = { ...process.env, BENCH_RESULTS: results }
    spawnSync(process.execPath, ['--conditions=@wabakit/source', file], {
      cwd: checkout,
      env,
      stdio: 'ignore',
    })
    const goals = readResults(results).get('bundle-size')?.goals ?? []
    return new Map(
      goals.map(({ what, result }) => [`P7 ${what}`, { value: result, tolerance: sizeTolerance }]),
    )
  } finally {
    rmSync(results, { recursive: true })
  }
}

const measureFigures = (checkout: string): Figures => {
  const figures = new Map(measureSizes(checkout))
  for (const [workload, { tolerance }] of Object.entries(countings)) {
    try {
      const { bytes, instructions } = countWorkload(checkout, workload)
      figures.set(`${workload}: bytes allocated`, { value: bytes, tolerance: tolerance.bytes })
      if (instructions !== undefined)
        figures.set(`${workload}: instructions`, { value: instructions, tolerance: tolerance.instructions })
    } catch (error) {
      console.error(`${workload} does not run in ${checkout}: ${error}`)
    }
  }
  return figures
}

const format = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 4 })

/**
 * Compares what operations of two versions cost in instructions, allocated bytes and bundled bytes. Unlike times, these
 * hardly depend on what else the machine does, so CI can require that they do not grow.
 *
 * @returns whether everything ran here, and nothing grew beyond its tolerance.
 */
export const compareCounts = async (reference: string): Promise<boolean> => {
  if (!hasInstructionCounter())
    console.error('This machine does not count instructions: perf is missing or not permitted.')
  const here = measureFigures(root)
  let there: Figures = new Map()
  await withCheckout(reference, (checkout) => {
    there = measureFigures(checkout)
  })
  const grown: string[] = []
  const table: Record<string, object> = {}
  for (const [name, { value, tolerance }] of here) {
    const before = there.get(name)?.value
    if (before === undefined) continue
    const growth = value / before - 1
    if (growth > tolerance) grown.push(name)
    table[name] = {
      [reference]: format(before),
      here: format(value),
      growth: `${(growth * 100).toFixed(1)} %`,
      tolerance: `${tolerance * 100} %`,
      grown: growth > tolerance ? 'YES' : '',
    }
  }
  printTable('Counts per operation', table)
  if (grown.length > 0) console.error(`More than in ${reference}, beyond the tolerance: ${grown.join('; ')}.`)
  const workloads = Object.keys(countings)
  return grown.length === 0 && workloads.every((workload) => here.has(`${workload}: bytes allocated`))
}
