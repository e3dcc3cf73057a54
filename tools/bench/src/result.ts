import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Row } from './measure.ts'

export type Goal = {
  /** Such as `P1`. */
  readonly id: string
  readonly what: string
  readonly result: number
  readonly limit: { readonly atLeast: number } | { readonly atMost: number }
}

/** A size, or another figure that is not a time. */
export type Figure = { readonly name: string; readonly figure: string }

export type Report = {
  readonly name: string
  readonly title: string
  /** A description of the measured operation and its floor, in Markdown. */
  readonly about: string
  /** Shows rows as rates or as times. */
  readonly unit: 'per second' | 'time'
  readonly rows?: readonly Row[]
  readonly figures?: readonly Figure[]
  readonly goals?: readonly Goal[]
}

/** A report with the machine, version and date of the measurement. */
export type Result = Report & { readonly machine: string; readonly version: string; readonly date: string }

const folder = process.env.BENCH_RESULTS ?? resolve(import.meta.dirname, '../results')

/** Formats a time in microseconds. */
export const formatTime = (microseconds: number): string => {
  if (microseconds < 100) return `${microseconds.toFixed(2)} µs`
  if (microseconds < 1_000) return `${microseconds.toFixed(0)} µs`
  return microseconds < 1e6 ? `${(microseconds / 1e3).toFixed(1)} ms` : `${(microseconds / 1e6).toFixed(1)} s`
}

/** Formats the rate of operations that each take this many microseconds. */
export const formatRate = (microseconds: number): string =>
  `${Number((1e6 / microseconds).toPrecision(3)).toLocaleString('en')}/s`

/** Formats a number with three significant digits. */
export const formatFigure = (figure: number): string => Number(figure.toPrecision(3)).toLocaleString('en')

export const formatLimit = ({ limit }: Goal): string =>
  'atLeast' in limit ? `at least ${limit.atLeast}` : `at most ${limit.atMost}`

export const isMet = ({ limit, result }: Goal): boolean =>
  'atLeast' in limit ? result >= limit.atLeast : result <= limit.atMost

export const printTable = (title: string, rows: Readonly<Record<string, object>>): void => {
  console.log(`\n${title}`)
  console.table(rows)
}

export const printGoals = (title: string, goals: readonly Goal[]): void =>
  printTable(
    title,
    Object.fromEntries(
      goals.map((goal) => [
        `${goal.id} ${goal.what}`,
        { goal: formatLimit(goal), result: formatFigure(goal.result), met: isMet(goal) ? 'yes' : 'NO' },
      ]),
    ),
  )

const describeVersion = (): string => {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** Set if there may be too few rounds for reliable figures. */
const isShort = process.env.BENCH_ROUNDS !== undefined

/** The load of the machine before the benchmark. */
const [load = 0] = loadavg()

/** Set if the results are recorded regardless of the load. */
const isForced = process.env.BENCH_FORCED !== undefined

/** Returns whether this process has real-time priority. If so, others barely disturb it. See proc_pid_stat(5). */
const isRealTime = (): boolean => {
  try {
    return Number(readFileSync('/proc/self/stat', 'latin1').split(' ')[39]) > 0
  } catch {
    return false
  }
}

export const publish = (report: Report): void => {
  const { name, title, rows = [], figures = [], goals = [] } = report
  printTable(
    title,
    Object.fromEntries([
      ...rows.map((row) => [
        row.name,
        {
          rate: formatRate(row.time),
          time: formatTime(row.time),
          spread: row.spread.map(formatTime).join(' – '),
          'CPU each': row.cpu === null ? '' : formatTime(row.cpu),
          'of the floor': row.ofFloor === null ? '' : `${formatFigure(row.ofFloor)} of ${row.floor}`,
        },
      ]),
      ...figures.map(({ name, figure }) => [name, { figure }]),
    ]),
  )
  if (goals.length > 0) printGoals('Goals', goals)
  const result: Result = {
    ...report,
    machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${load.toFixed(1)}${isRealTime() ? ' (at real-time priority)' : ''}${isForced ? ', recorded with --force' : ''}, Node ${process.version}${isShort ? ', few rounds' : ''}`,
    version: describeVersion(),
    date: new Date().toISOString().slice(0, 10),
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
}

export const readResults = (from = folder): Map<string, Result> =>
  new Map(
    globSync('*.json', { cwd: from })
      .sort()
      .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(from, file), 'utf8'))]),
  )
