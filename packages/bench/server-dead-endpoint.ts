import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenedServer, openServer, type ServerOptions } from './src/growth/open-server.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { median } from './src/measurement.ts'
import { writeResult } from './src/report.ts'

// Shows whether a dead endpoint slows down others. 100 events per second are sent to 20 healthy endpoints, with and without
// 100,000 deliveries due to a dead endpoint of the same server. Measures the time from an event to its arrival. In each
// round the servers take turns, and all but one are paused.
//
//   node --conditions=@wabakit/source packages/bench/server-dead-endpoint.ts [rounds = 12] [pending = 100000]
const [rounds = '12', pending = '100000'] = process.argv.slice(2)
const events = 500
const scenarios: Readonly<Record<string, ServerOptions>> = {
  'no dead endpoint': { pending: 0, dead: 'refused' },
  'one refuses connections': { pending: Number(pending), dead: 'refused' },
  'one never responds': { pending: Number(pending), dead: 'hanging' },
}
type Scenario = {
  readonly name: string
  readonly opened: OpenedServer
  readonly p50: number[]
  readonly p99: number[]
}

const measure = async (
  { opened: { server, arrivals }, p50, p99 }: Scenario,
  isCounted: boolean,
): Promise<void> => {
  server.resume()
  // Lets it send what became due while it was paused.
  await sleep(1_000)
  await arrivals.command('reset')
  await server.command('run', events)
  const deadline = Date.now() + 30_000
  while ((await arrivals.command('count')) < events && Date.now() < deadline) await sleep(20)
  if (isCounted) {
    p50.push(await arrivals.command('quantile', 50))
    p99.push(await arrivals.command('quantile', 99))
  }
  server.pause()
}

const computeRatio = (figures: readonly number[], base: readonly number[]): number =>
  Number(median(figures.map((figure, round) => figure / (base[round] ?? Number.NaN))).toFixed(2))

const results: Record<string, object> = {}
for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  const measured: Scenario[] = []
  try {
    for (const [name, options] of Object.entries(scenarios)) {
      const opened = await openServer(engine, options)
      opened.server.pause()
      measured.push({ name, opened, p50: [], p99: [] })
    }
    for (let round = -2; round < Number(rounds); round++) {
      for (const scenario of measured) await measure(scenario, round >= 0)
    }
  } finally {
    for (const { opened } of measured) opened.close()
    await engine.close()
  }
  const [base] = measured
  for (const { name, p50, p99 } of measured) {
    results[`${engine.name}, ${name}`] = {
      'p50 ms': Number(median(p50).toFixed(2)),
      'p99 ms': Number(median(p99).toFixed(2)),
      'p50, ratio to no dead endpoint': computeRatio(p50, base?.p50 ?? []),
      'p99, ratio to no dead endpoint': computeRatio(p99, base?.p99 ?? []),
    }
  }
  writeResult('server-dead-endpoint', {
    results,
    scenarios: measured.map(({ name, p50, p99 }) => ({ name, p50, p99 })),
  })
}
console.table(results)
