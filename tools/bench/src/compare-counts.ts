import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runBenchmark, withCheckout } from './compare.ts'
import { countings, countWorkload, floor, hasInstructionCounter } from './counts.ts'
import { printTable } from './result.ts'

/** The figures that must not grow, by name. `tolerance` is the maximum accepted growth. */
type Figures = ReadonlyMap<string, { readonly value: number; readonly tolerance: number }>

/** The contents of `counts.json`. `runtime` is the Node.js version and the platform that recorded the figures. */
type CountsRecord = { readonly runtime: string; readonly figures: Readonly<Record<string, number>> }

/** The tolerance for bundle sizes. These do not vary between runs, but a new feature may add a few bytes. */
const sizeTolerance = 0.01

const measureFigures = (checkout: string): Figures => {
  const { goals = [] } = runBenchmark(checkout, 'bundle-size') ?? {}
  const figures = new Map(
    goals.map(({ what, result }) => [`P7 ${what}`, { value: result, tolerance: sizeTolerance }]),
  )
  for (const [workload, { tolerance }] of Object.entries(countings)) {
    try {
      const { bytes, instructions } = countWorkload(checkout, workload)
      figures.set(`${workload}: bytes allocated`, { value: bytes, tolerance: tolerance.bytes })
      if (instructions !== undefined)
        figures.set(`${workload}: instructions`, { value: instructions, tolerance: tolerance.instructions })
    } catch (error) {
      console.error(`${workload} failed in ${checkout}: ${error}`)
    }
  }
  return figures
}

const measureHere = (): Figures => {
  if (!hasInstructionCounter())
    console.error('Instructions cannot be counted: perf is missing or not permitted.')
  return measureFigures(root)
}

const format = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 4 })

/** Prints both sets of figures. Returns whether all workloads ran here and no figure grew beyond its tolerance. */
const compare = (here: Figures, there: ReadonlyMap<string, number>, reference: string): boolean => {
  const floorName = `${floor}: instructions`
  // The reference may come from a processor that executes more or fewer instructions for the same work. The ratio of
  // the floors measures this difference; up to 3% may be noise.
  const ratio = (here.get(floorName)?.value ?? NaN) / (there.get(floorName) ?? NaN)
  const machine = Math.abs(ratio - 1) > 0.03 ? ratio : 1
  const grown: string[] = []
  const table: Record<string, object> = {}
  for (const [name, { value, tolerance }] of here) {
    const recorded = there.get(name)
    if (recorded === undefined) continue
    const before = name.endsWith(': instructions') ? recorded * machine : recorded
    const growth = value / before - 1
    if (growth > tolerance) grown.push(name)
    table[name] = {
      [reference]: format(before),
      here: format(value),
      growth: `${(growth * 100).toFixed(1)}%`,
      tolerance: `${tolerance * 100} %`,
      grown: growth > tolerance ? 'YES' : '',
    }
  }
  printTable('Counts per operation', table)
  if (grown.length > 0) console.error(`Grew beyond the tolerance since ${reference}: ${grown.join('; ')}.`)
  const workloads = Object.keys(countings)
  return grown.length === 0 && workloads.every((workload) => here.has(`${workload}: bytes allocated`))
}

/**
 * Compares the instructions, allocated bytes and bundled bytes of two versions. Unlike times, these costs barely depend
 * on the load of the machine. Returns whether no cost has grown beyond its tolerance.
 */
export const compareCounts = async (reference: string): Promise<boolean> => {
  const here = measureHere()
  const there = new Map<string, number>()
  await withCheckout(reference, (checkout) => {
    for (const [name, { value }] of measureFigures(checkout)) there.set(name, value)
  })
  return compare(here, there, reference)
}

const file = join(root, 'tools/bench/counts.json')

const runtime = `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`

const readRecord = (): CountsRecord => JSON.parse(readFileSync(file, 'utf8'))

/**
 * Records the figures. Those that cannot be measured here, such as instructions without perf, stay as they were if the
 * same runtime recorded them, and are dropped otherwise.
 */
export const recordCounts = (): void => {
  const recorded = readRecord()
  const measured = Object.fromEntries(
    [...measureHere()].map(([name, { value }]) => [name, Number(value.toPrecision(6))]),
  )
  const figures = { ...(recorded.runtime === runtime && recorded.figures), ...measured }
  const record: CountsRecord = { runtime, figures }
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`)
}

/** Compares the costs of operations with `counts.json`. Returns whether no cost has grown beyond its tolerance. */
export const checkCounts = (): boolean => {
  const recorded = readRecord()
  if (recorded.runtime !== runtime) {
    console.error(
      `counts.json was recorded with ${recorded.runtime}, but this is ${runtime}. Run npm run bench -- --counts --update.`,
    )
    return false
  }
  const isKept = compare(measureHere(), new Map(Object.entries(recorded.figures)), 'counts.json')
  if (!isKept) console.error('If you accept the growth, run npm run bench -- --counts --update.')
  return isKept
}
