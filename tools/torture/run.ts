/**
 * The long form of the reliability tests.
 *
 *   npm run torture -- [sqlite] [postgres] [--seed 42] [--kills 200] [--only kills,storage]
 *   npm run torture -- [sqlite] [postgres] --only soak [--minutes 60]
 *
 * Without an engine, both are tested. Each scenario runs servers under load in separate processes and makes them fail
 * in one way. Then a checker in another process compares the acknowledged changes with the stored ones and with the
 * webhooks that arrived. Exits with 1 if a scenario failed, and with 2 if an argument is invalid.
 */
import { type Choices, parseChoices } from './choices.ts'
import type { Engine } from './engine.ts'
import { createPostgresEngine } from './postgres-engine.ts'
import type { Trial } from './scenario.ts'
import { postgresScenarios, type Scenarios, sqliteScenarios } from './scenarios.ts'
import { sqliteEngine } from './sqlite-engine.ts'

const rows: Record<string, object> = {}

const toRow = ({ done, failures, result }: Awaited<ReturnType<Trial>>, start: number): object => ({
  done,
  seconds: Math.round((performance.now() - start) / 1_000),
  ...(result && {
    requests: result.load.requests,
    '503': result.load.unavailable,
    unknown: result.load.unknown,
    'cut off': result.load.broken,
    acknowledged: result.acknowledged,
    events: result.events,
    'health events': result.told,
    arrivals: result.arrivals,
    duplicates: result.duplicates,
    'not in the figures': result.uncounted,
    takeovers: result.takeovers,
    overlaps: result.overlaps,
    'resumed after a kill, median ms': result.resumed.medianMs,
    'longest ms': result.resumed.longestMs,
  }),
  passed: failures.length === 0,
})

/** Runs a scenario and returns its failures. If it throws, the other scenarios still run. */
const runOne = async <On extends Engine>(
  name: string,
  scenario: Trial<On>,
  options: { readonly engine: On; readonly seed: number; readonly times: number },
): Promise<readonly string[]> => {
  const start = performance.now()
  const progress = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text === '' ? '' : `${name}: ${text}`}`)
  }
  try {
    const ended = await scenario({ ...options, progress })
    rows[name] = toRow(ended, start)
    return ended.failures
  } catch (error) {
    rows[name] = { done: 'aborted', passed: false }
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    progress('')
  }
}

const runAll = async <On extends Engine>(
  prefix: string,
  { engine, scenarios, choices }: { engine: On; scenarios: Scenarios<On>; choices: Choices },
): Promise<void> => {
  for (const [scenario, { run, times, isOnRequest = false }] of Object.entries(scenarios)) {
    if (!(choices.isNamed(scenario) ?? !isOnRequest)) continue
    const name = `${prefix} ${scenario}`
    const options = { engine, seed: choices.seed, times: choices.times[scenario] ?? times }
    const failures = await runOne(name, run, options)
    console.log(`${name}: ${failures.length === 0 ? 'passed' : 'FAILED'}`)
    for (const failure of failures) console.log(`  ${failure}`)
    if (failures.length > 0) process.exitCode = 1
  }
}

const engines: Record<string, (choices: Choices) => Promise<void>> = {
  sqlite: (choices) => runAll('sqlite', { engine: sqliteEngine, scenarios: sqliteScenarios, choices }),
  postgres: async (choices) => {
    await using engine = await createPostgresEngine({ isSynced: true })
    await runAll('postgres', { engine, scenarios: postgresScenarios, choices })
  },
}

const readChoices = (): Choices => {
  try {
    return parseChoices(process.argv.slice(2), {
      sqlite: Object.keys(sqliteScenarios),
      postgres: Object.keys(postgresScenarios),
    })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}

const choices = readChoices()
console.log(`seed ${choices.seed}`)
for (const engine of choices.engines) await engines[engine]?.(choices)
console.table(rows)
