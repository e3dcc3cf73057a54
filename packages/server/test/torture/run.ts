/**
 * The long form of the reliability tests.
 *
 *   npm run torture -- sqlite [--seed 42] [--kills 200] [--only kills,storage]
 *
 * Each scenario puts a server under load in a process of its own, makes its life hard, and has a checker, another
 * process, compare what was acknowledged with what is there and what arrived. Ends with 1 when one of them failed.
 */
import { parseArgs } from 'node:util'
import type { Scenario } from './scenario.ts'
import { clock } from './scenarios/clock.ts'
import { ingest } from './scenarios/ingest.ts'
import { kills } from './scenarios/kills.ts'
import { lies } from './scenarios/lies.ts'
import { stops } from './scenarios/stops.ts'
import { storage } from './scenarios/storage.ts'
import { targets } from './scenarios/targets.ts'

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '200' },
    only: { type: 'string' },
  },
})
const seed = Number(values.seed)
const scenarios: Record<string, { readonly run: Scenario; readonly times: number }> = {
  kills: { run: kills, times: Number(values.kills) },
  stops: { run: stops, times: 20 },
  storage: { run: storage, times: 20 },
  targets: { run: targets, times: 10 },
  clock: { run: clock, times: 40 },
  ingest: { run: ingest, times: 20 },
  lies: { run: lies, times: 1_000 },
}

const chosen = values.only?.split(',') ?? Object.keys(scenarios)
console.log(`seed ${seed}`)
const rows: Record<string, object> = {}
for (const name of chosen) {
  const scenario = scenarios[name]
  if (scenario === undefined)
    throw new Error(`There is no scenario ${name}; there are ${Object.keys(scenarios).join(', ')}.`)
  const start = performance.now()
  const progress = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${name}: ${text}`)
  }
  const { done, failures, result } = await scenario.run({ seed, times: scenario.times, progress })
  progress('')
  rows[name] = {
    done,
    seconds: Math.round((performance.now() - start) / 1_000),
    requests: result.load.requests,
    '503': result.load.unavailable,
    'cut off': result.load.broken,
    acknowledged: result.acknowledged,
    events: result.events,
    arrivals: result.arrivals,
    duplicates: result.duplicates,
    passed: failures.length === 0,
  }
  console.log(`${name}: ${done}, ${failures.length === 0 ? 'passed' : 'FAILED'}`)
  for (const failure of failures) console.log(`  ${failure}`)
  if (failures.length > 0) process.exitCode = 1
}
console.table(rows)
