import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { type Measurement, medianRatio } from './measurement.ts'

/** Describes this machine. */
export const describeMachine = () => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
})

/** Prints a table of measurements, with their speed relative to the first, and writes them to `results/`. */
export const report = (
  title: string,
  file: string,
  measurements: readonly Measurement[],
  facts: object = {},
): void => {
  const [base] = measurements
  if (base === undefined) return
  console.log(`\n${title}`)
  console.table(
    Object.fromEntries(
      measurements.map((each) => [
        each.name,
        {
          'µs each': Number((each.median / 1000).toFixed(2)),
          'interquartile range': each.quartiles.map((figure) => (figure / 1000).toFixed(2)).join(' – '),
          [`speed relative to ${base.name}`]: Number(medianRatio(base, each).toFixed(2)),
        },
      ]),
    ),
  )
  writeResult(file, { title, machine: describeMachine(), measurements, ...facts })
}

/** Writes a result to `results/<file>.json`. */
export const writeResult = (file: string, result: object): void => {
  const folder = new URL('../results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${file}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
}
