import { setTimeout as sleep } from 'node:timers/promises'
import { openScenario, type ScenarioOptions } from './src/fairness/open-scenario.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { median } from './src/measurement.ts'
import { writeResult } from './src/report.ts'

// What endpoints that hang or respond slowly cost the others: 100 events a second for 20 healthy endpoints, and the time
// from an event until its arrival, next to 300 endpoints that got 20 events each. First while all of them, the healthy ones
// too, are new; then for half a minute in turns of 4 seconds, each from a moment in the 15 seconds that attempts last.
//
//   node --conditions=@wabakit/source packages/bench/server-fairness.ts [sqlite|postgres|postgres-3|all] [turns, 5]
const [kind = 'all', turns = '5'] = process.argv.slice(2)
const coldEvents = 400
const turnEvents = 400
const suspects = 300
const scenarios: Readonly<Record<string, Omit<ScenarioOptions, 'workers'>>> = {
  'no others': { suspects: 0, kind: 'hang', owner: 'one' },
  'hanging, one organization': { suspects, kind: 'hang', owner: 'one' },
  'hanging, 300 organizations': { suspects, kind: 'hang', owner: 'each' },
  '200 after 14 s, one organization': { suspects, kind: 'slow', owner: 'one' },
  '200 after 14 s, 300 organizations': { suspects, kind: 'slow', owner: 'each' },
  'hanging, the same organization': { suspects, kind: 'hang', owner: 'healthy' },
  'no others, again': { suspects: 0, kind: 'hang', owner: 'one' },
}
const settings = [
  { name: 'sqlite', open: async () => createSqliteEngine(), workers: 1 },
  { name: 'postgres', open: createPostgresEngine, workers: 1 },
  { name: 'postgres-3', open: createPostgresEngine, workers: 3 },
].filter(({ name }) => kind === 'all' || kind === name)

type Figures = { readonly p50: number[]; readonly p99: number[] }
type Scenario = { readonly cold: Figures; readonly warm: Figures }

const results: Record<string, object> = {}
for (const { name, open, workers } of settings) {
  const engine = await open()
  const measured = new Map<string, Scenario>()
  try {
    for (const [scenario, options] of Object.entries(scenarios)) {
      const { server, arrivals, close } = await openScenario(engine, { ...options, workers })
      const measure = async (events: number, { p50, p99 }: Figures): Promise<void> => {
        await arrivals.command('reset')
        await server.command('run', events)
        const deadline = Date.now() + 20_000
        while ((await arrivals.command('count')) < events && Date.now() < deadline) await sleep(20)
        const missing = events - (await arrivals.command('count'))
        p50.push(missing > events / 2 ? Number.POSITIVE_INFINITY : await arrivals.command('quantile', 50))
        p99.push(missing > events / 100 ? Number.POSITIVE_INFINITY : await arrivals.command('quantile', 99))
      }
      const figures: Scenario = { cold: { p50: [], p99: [] }, warm: { p50: [], p99: [] } }
      try {
        await server.command('flood', 20)
        await measure(coldEvents, figures.cold)
        for (let turn = 0; turn < Number(turns); turn++) await measure(turnEvents, figures.warm)
      } finally {
        close()
      }
      measured.set(scenario, figures)
      const base = measured.get('no others')
      const [cold = Number.NaN] = figures.cold.p99
      results[`${name}, ${scenario}`] = {
        'new: p99 ms': Number(cold.toFixed(1)),
        'p50 ms': Number(median(figures.warm.p50).toFixed(1)),
        'p99 ms': Number(median(figures.warm.p99).toFixed(1)),
        'p99 of each turn': figures.warm.p99.map((each) => each.toFixed(0)).join(' '),
        'p99 against no others': Number((median(figures.warm.p99) / median(base?.warm.p99 ?? [])).toFixed(2)),
      }
      console.log(name, scenario, JSON.stringify(results[`${name}, ${scenario}`]))
    }
  } finally {
    await engine.close()
  }
}
console.table(results)
writeResult('server-fairness', { results })
