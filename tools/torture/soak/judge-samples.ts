import type { ProcessSize } from './measure-process.ts'
import type { Sizes } from './measure-sizes.ts'
import type { LoadSample } from './steady-load.ts'

/** The measurements at one moment. */
export type Sample = LoadSample & { readonly processes: readonly ProcessSize[]; readonly sizes: Sizes }

/** The measurements of one period, by name and unit: megabytes, milliseconds or counts. */
export type Summary = Readonly<Record<string, number>>

const mega = 2 ** 20

const round = (value: number): number => Math.round(value * 100) / 100

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** Returns a percentile, given as a number from 0 to 1. */
const getPercentile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0

/** Summarizes the samples of a period: percentiles of times, and means of sizes. */
export const summarize = (samples: readonly Sample[]): Summary => {
  const creates = samples.flatMap((sample) => sample.creates)
  const arrivals = samples.flatMap((sample) => sample.arrivals)
  const sum = (pick: (size: ProcessSize) => number): number =>
    mean(samples.map(({ processes }) => processes.reduce((total, size) => total + pick(size), 0)))
  const names = Object.keys(samples[0]?.sizes ?? {})
  const sizes = names.map((name): [string, number] => [
    `${name}, MB`,
    round(mean(samples.map((sample) => sample.sizes[name] ?? 0)) / mega),
  ])
  return {
    creates: creates.length,
    failed: samples.reduce(
      (total, { failed }) => total + Object.values(failed).reduce((sum, count) => sum + count, 0),
      0,
    ),
    'create p50, ms': round(getPercentile(creates, 0.5)),
    'create p99, ms': round(getPercentile(creates, 0.99)),
    'arrival p50, ms': round(getPercentile(arrivals, 0.5)),
    'arrival p99, ms': round(getPercentile(arrivals, 0.99)),
    'memory, MB': round(sum(({ memory }) => memory) / mega),
    handles: round(sum(({ handles }) => handles)),
    ...Object.fromEntries(sizes),
  }
}

/** Allowed growth from the third period to the last, in addition to a tenth. */
const tolerances: Readonly<Record<string, number>> = { 'memory, MB': 10, handles: 3 }
const sizeTolerance = 1

/** A table that keeps one row for each summarized call while the organization exists. */
const forever = 'summary_marks'

/** Returns the measurement that must be level, without the rows that are kept forever. */
const measure = (name: string, part: Summary = {}): number => {
  const kept = { 'tables, MB': `table ${forever}, MB`, 'indexes, MB': `index ${forever}_pkey, MB` }[name]
  return (part[name] ?? 0) - (kept === undefined ? 0 : (part[kept] ?? 0))
}

const isLevel = (name: string, parts: readonly Summary[]): boolean => {
  const [earlier, last] = [measure(name, parts[2]), measure(name, parts.at(-1))]
  return last <= earlier * 1.1 + (tolerances[name] ?? sizeTolerance)
}

/**
 * Judges the periods: no request may fail, the 99th percentiles of times may be at most 1.2 times those of the first period,
 * and sizes must level off.
 */
export const judgeSamples = (
  parts: readonly Summary[],
): { readonly failures: readonly string[]; readonly table: Readonly<Record<string, object>> } => {
  const names = Object.keys(parts.at(-1) ?? {})
  const isSmall = (name: string): boolean =>
    / .*, MB$/.test(name) && parts.every((part) => (part[name] ?? 0) < 1)
  const table = Object.fromEntries(
    names
      .filter((name) => !isSmall(name))
      .map((name) => [
        name,
        Object.fromEntries(parts.map((part, index) => [`part ${index + 1}`, part[name]])),
      ]),
  )
  const failed = parts.reduce((total, { failed = 0 }) => total + failed, 0)
  const slower = names.filter(
    (name) => name.includes('p99') && (parts.at(-1)?.[name] ?? 0) > 1.2 * (parts[0]?.[name] ?? 0),
  )
  const growing = names.filter(
    (name) =>
      (name.endsWith(', MB') || name === 'handles') && !name.includes(forever) && !isLevel(name, parts),
  )
  return {
    failures: [
      ...(failed > 0 ? [`${failed} requests failed`] : []),
      ...slower.map(
        (name) =>
          `${name}: ${parts.at(-1)?.[name]}, more than 1.2 times ${parts[0]?.[name]} in the first part`,
      ),
      ...growing.map(
        (name) => `${name}: grew from ${parts[2]?.[name]} in the third part to ${parts.at(-1)?.[name]}`,
      ),
    ],
    table,
  }
}
