import { setTimeout as sleep } from 'node:timers/promises'
import { openScenario, type Scenario, type ScenarioOptions } from './src/growth/open-scenario.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { type Row, toRow } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 6)
const pending = 100_000
const scenarios: Readonly<Record<string, ScenarioOptions>> = {
  'no dead endpoint': {},
  'one refuses connections': { pending, dead: 'refuse' },
  'one never responds': { pending, dead: 'hang' },
}

const rows: Row[] = []
const goals: Goal[] = []
for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  const opened: { readonly name: string; readonly server: Scenario; readonly p99: number[] }[] = []
  try {
    for (const [name, options] of Object.entries(scenarios)) {
      const server = await openScenario(engine, options)
      server.server.pause()
      opened.push({ name: `${engine.name}, ${name}`, server, p99: [] })
    }
    // The servers take turns, so that they do not disturb each other. The first turn is a warm-up.
    for (let round = -1; round < rounds; round += 1) {
      for (const { server, p99 } of opened) {
        server.server.resume()
        // The server first sends the deliveries that became due while it was paused.
        await sleep(1_000)
        const latency = await server.measureLatency(300)
        if (round >= 0) p99.push(latency)
        server.server.pause()
      }
    }
  } finally {
    for (const { server } of opened) server.close()
    await engine.close()
  }
  const [base, ...others] = opened.map(({ name, p99 }) => toRow(name, p99))
  if (base === undefined) continue
  rows.push(base, ...opened.slice(1).map(({ name, p99 }) => toRow(name, p99, base)))
  goals.push({
    id: 'P6',
    what: `${engine.name}, p99 with a dead endpoint, relative to none`,
    result: Math.max(...others.map(({ time }) => time)) / base.time,
    limit: { atMost: 1.3 },
  })
}
publish({
  name: 'server-dead-endpoint',
  title: 'One dead endpoint',
  about: `100 events a second for 20 healthy endpoints, while ${pending.toLocaleString('en')} deliveries to a dead endpoint of another
organization are due. The times are the p99 of the delays of events. The floor is a server without a dead endpoint.`,
  unit: 'time',
  rows,
  goals,
})
