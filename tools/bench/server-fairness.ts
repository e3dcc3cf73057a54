import { openScenario, type ScenarioOptions } from './src/growth/open-scenario.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { type Row, toRow } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

// `--long` adds endpoints that respond after 14 seconds, and three workers.
const isLong = process.argv.includes('--long')
// A measurement takes 20 seconds by default. It must exceed the 15 seconds after which the first attempt for a new
// endpoint times out, because the endpoint gets no second attempt until then.
const events = 400 * Number(process.env.BENCH_ROUNDS ?? 5)
const suspects = 300
const scenarios: Readonly<Record<string, Omit<ScenarioOptions, 'workers'>>> = {
  'no others': {},
  '300 hang, one organization': { suspects, owner: 'one' },
  '300 hang, 300 organizations': { suspects, owner: 'each' },
  '300 hang, the same organization': { suspects, owner: 'healthy' },
  ...(isLong && {
    '300 take 14 s, one organization': { suspects, kind: 'slow', owner: 'one' },
    '300 take 14 s, 300 organizations': { suspects, kind: 'slow', owner: 'each' },
  }),
}
const settings = [
  { name: 'SQLite', open: async () => createSqliteEngine(), workers: 1 },
  { name: 'PostgreSQL', open: createPostgresEngine, workers: 1 },
  ...(isLong ? [{ name: 'PostgreSQL, 3 workers', open: createPostgresEngine, workers: 3 }] : []),
]

const names = Object.keys(scenarios)
// A single slow fsync can decide the p99 of 20 seconds. Therefore, each scenario runs several times, alternating with the
// others, and the result is the median.
const turns = 3
const order = Array.from({ length: turns }, () => names).flat()
const rows: Row[] = []
const goals: Goal[] = []
for (const { name, open, workers } of settings) {
  const p99 = new Map(
    names.map((scenario) => [scenario, { whileNew: [] as number[], later: [] as number[] }]),
  )
  for (const scenario of order) {
    const engine = await open()
    const opened = await openScenario(engine, { ...scenarios[scenario], workers })
    try {
      await opened.server.command('flood', 20)
      p99.get(scenario)?.whileNew.push(await opened.measureLatency(events))
      p99.get(scenario)?.later.push(await opened.measureLatency(events))
    } finally {
      opened.close()
      await engine.close()
    }
  }
  const later: Row[] = []
  for (const [scenario, figures] of p99) {
    rows.push(toRow(`${name}, ${scenario}, all new`, figures.whileNew))
    later.push(toRow(`${name}, ${scenario}`, figures.later, later[0]))
  }
  rows.push(...later)
  const [baseRow, ...others] = later
  goals.push({
    id: 'P6',
    what: `${name}, p99 with 300 hanging endpoints, relative to none`,
    result: Math.max(...others.map(({ time }) => time)) / (baseRow?.time ?? Number.NaN),
    limit: { atMost: 1.3 },
  })
}
publish({
  name: 'server-fairness',
  title: 'Hundreds of endpoints that hang',
  about: `100 events a second for 20 healthy endpoints, next to ${suspects} endpoints that never respond and have 20 deliveries each. In the
first ${events / 100} seconds, these endpoints are new and time out at the same time. The next ${events / 100} seconds are measured separately. Each
endpoint has its own port. The times are the p99 of the delays of events. The floor is a server without other endpoints.
Each scenario runs ${turns} times, alternating with the others; the results are medians. Add \`--long\` for endpoints that
respond after 14 seconds, and for three workers.`,
  unit: 'time',
  rows,
  goals,
})
