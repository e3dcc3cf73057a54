// npm run simulate: runs clusters in virtual time, and looks for broken invariants. See docs/internals/simulation.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { drawPlan } from './src/draw-plan.ts'
import { explore, type Summary } from './src/explore.ts'
import type { Plan } from './src/plan.ts'
import { type Find, searchPlanted } from './src/planted/search-planted.ts'
import { formatReproduction } from './src/reproduction.ts'
import { runPlan } from './src/run-plan.ts'
import { countEntries, maximumEntries, shrinkPlan } from './src/shrink.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    minutes: { type: 'string' },
    threads: { type: 'string' },
    replay: { type: 'string', multiple: true },
    planted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})

const fail = (): void => {
  process.exitCode = 1
}

const formatFigures = ({ runs, steps, virtualMs, deliveries }: Summary, realMs: number): string => {
  const speed = Math.round(virtualMs / realMs).toLocaleString('en')
  const hours = (virtualMs / 3_600_000).toFixed(1)
  const perSecond = Math.round((runs / realMs) * 1_000)
  return `${runs.toLocaleString('en')} runs (${perSecond}/s), ${steps.toLocaleString('en')} tasks, ${deliveries.toLocaleString('en')} deliveries, ${hours} h of virtual time, ${speed} times real time`
}

const printCounts = (title: string, counts: Record<string, number>): void => {
  console.log(`\n${title}`)
  for (const [name, count] of Object.entries(counts).sort(([, left], [, right]) => right - left)) {
    console.log(`  ${name.padEnd(28)} ${count.toLocaleString('en')}`)
  }
}

/** Shrinks the plan of a seed, prints its reproduction, and saves it for a replay. */
const report = async ({ seed, violation }: Summary['violations'][number]): Promise<void> => {
  const shrunk = await shrinkPlan(drawPlan(seed), { violation })
  const file = `simulation-${seed}.json`
  writeFileSync(
    file,
    `${JSON.stringify({ description: shrunk.violation, plan: shrunk.plan }, undefined, 2)}\n`,
  )
  console.log(`\n${formatReproduction(shrunk.plan, shrunk.result)}`)
  console.log(
    `\n${countEntries(shrunk.plan)} operations and faults. To replay the run: npm run simulate -- --replay ${file}`,
  )
}

/** Maximum number of violations to shrink and print. */
const maximumReports = 3

const search = async (): Promise<void> => {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const runs = Number(
    values.runs ?? (values.minutes === undefined ? (values.seed === undefined ? 2_000 : 1) : Infinity),
  )
  const threads = Math.min(Number(values.threads ?? availableParallelism()), Math.ceil(runs / 50))
  console.log(`Starting with seed ${seed}: npm run simulate -- --seed ${seed} --runs ${runs}`)
  const start = performance.now()
  let printedAt = start
  let printed = 0
  const summary = await explore({
    seed,
    runs,
    threads,
    maximumMs: Number(values.minutes ?? Infinity) * 60_000,
    maximumViolations: 100,
    onProgress: (done) => {
      for (const { seed, violation } of done.violations.slice(printed)) {
        console.log(`Seed ${seed} broke an invariant: ${violation.invariant}`)
      }
      printed = done.violations.length
      if (performance.now() - printedAt < 10_000) return
      printedAt = performance.now()
      console.log(`${formatFigures(done, printedAt - start)}, ${done.violations.length} violations`)
    },
  })
  console.log(formatFigures(summary, performance.now() - start))
  printCounts('Runs by engine', summary.engines)
  printCounts('Faults', summary.faults)
  console.log(
    `\n${summary.violations.length === 0 ? 'No invariant was broken.' : `${summary.violations.length} runs broke an invariant.`}`,
  )
  const seen = new Set<string>()
  for (const found of summary.violations) {
    if (seen.has(found.violation.invariant) || seen.size === maximumReports) continue
    seen.add(found.violation.invariant)
    await report(found)
  }
  if (summary.violations.length > 0) fail()
}

const replay = async (files: readonly string[]): Promise<void> => {
  for (const file of files) {
    const { plan }: { readonly plan: Plan } = JSON.parse(readFileSync(file, 'utf8'))
    const result = await runPlan(plan)
    console.log(`${file}\n${formatReproduction(plan, result)}`)
    if (result.violation !== undefined) fail()
  }
}

const formatFind = ({ bug, found }: Find): string => {
  if (found === null) return `${bug.name.padEnd(68)} NOT FOUND`
  const { cpuMs, seed, entries, invariant } = found
  const seconds = (cpuMs / 1_000).toFixed(1).padStart(4)
  return `${bug.name.padEnd(68)} ${seconds} s, ${String(seed).padStart(4)} runs, shrunk to ${entries}: ${invariant}`
}

/** Plants bugs, and searches for a run that exposes each of them. */
const searchForPlanted = async (): Promise<void> => {
  const finds = await searchPlanted({
    threads: Number(values.threads ?? availableParallelism()),
    only: values.only,
    onFind: (find, left) => console.log(`${String(left).padStart(3)} left  ${formatFind(find)}`),
    onFalse: (seed) => {
      console.log(`Seed ${seed} breaks an invariant even without the planted bug. Find the cause.`)
      fail()
    },
  })
  const found = finds.filter((find) => find.found !== null)
  console.log(`\n${found.length} of ${finds.length} planted bugs were found.`)
  const longest = Math.max(...found.map((find) => find.found?.entries ?? 0))
  console.log(`The longest shrunk run has ${longest} operations and faults.`)
  if (finds.length - found.length > 0 || longest > maximumEntries) fail()
}

if (values.planted) await searchForPlanted()
else if (values.replay !== undefined) await replay(values.replay)
else await search()
