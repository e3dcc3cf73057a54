import { measureLatency } from './src/growth/measure-latency.ts'
import { openScenario, type ScenarioOptions } from './src/growth/open-scenario.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { median, type Row, toRow } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

// `--long` adds endpoints that respond after 14 seconds, and three workers.
const isLong = process.argv.includes('--long')
const turns = Number(process.env.BENCH_ROUNDS ?? 5)
const events = 400
const suspects = 300
const base = 'no others'
const scenarios: Readonly<Record<string, Omit<ScenarioOptions, 'workers'>>> = {
  [base]: {},
  '300 hang, one organization': { suspects, owner: 'one' },
  '300 hang, 300 organizations': { suspects, owner: 'each' },
  '300 hang, the same organization': { suspects, owner: 'healthy' },
  ...(isLong && {
    '300 take 14 s, one organization': { suspects, kind: 'slow', owner: 'one' },
    '300 take 14 s, 300 organizations': { suspects, kind: 'slow', owner: 'each' },
  }),
  // What the machine does in the meantime changes the p99, too.
  [`${base}, again`]: {},
}
const settings = [
  { name: 'SQLite', open: async () => createSqliteEngine(), workers: 1 },
  { name: 'PostgreSQL', open: createPostgresEngine, workers: 1 },
  ...(isLong ? [{ name: 'PostgreSQL, 3 workers', open: createPostgresEngine, workers: 3 }] : []),
]

const getTime = ({ time }: Row): number => time
const rows: Row[] = []
const goals: Goal[] = []
for (const { name, open, workers } of settings) {
  const bases: Row[] = []
  const others: Row[] = []
  for (const [scenario, options] of Object.entries(scenarios)) {
    const engine = await open()
    const opened = await openScenario(engine, { ...options, workers })
    try {
      await opened.server.command('flood', 20)
      rows.push(toRow(`${name}, ${scenario}, all new`, [await measureLatency(opened, events)]))
      const p99: number[] = []
      for (let turn = 0; turn < turns; turn += 1) p99.push(await measureLatency(opened, events))
      const row = toRow(`${name}, ${scenario}`, p99, bases[0])
      rows.push(row)
      const alike = scenario.startsWith(base) ? bases : others
      alike.push(row)
    } finally {
      opened.close()
      await engine.close()
    }
  }
  goals.push({
    id: 'P6',
    what: `${name}, p99 with 300 hanging endpoints, relative to none`,
    result: Math.max(...others.map(getTime)) / median(bases.map(getTime)),
    limit: { atMost: 1.5 },
  })
}
publish({
  name: 'server-fairness',
  title: 'Hundreds of endpoints that hang',
  about: `100 events a second for 20 healthy endpoints, next to ${suspects} that never respond and have 20 deliveries each: first while
all of them are new, then in turns of 4 seconds. The times are the p99 from an event to its arrival, and the floor is a
server without other endpoints, measured first and last. Add \`--long\` for endpoints that respond after 14 seconds, and three workers.`,
  unit: 'time',
  rows,
  goals,
})
