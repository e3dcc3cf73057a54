import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenedServer, openServer, type ServerOptions } from './src/growth/open-server.ts'
import { postgresEngine } from './src/growth/postgres-engine.ts'
import { sqliteEngine } from './src/growth/sqlite-engine.ts'
import { median, writeResult } from './src/rounds.ts'

// Whether a dead endpoint slows down the others: 100 events a second for 20 healthy endpoints, and the time from an
// event's happening until its arrival, with and without 100,000 deliveries due to a dead one of the same server. Each
// server has its turn in each round; the others stand still meanwhile.
//
//   node --conditions=@wabakit/source packages/bench/server-dead-endpoint.ts [rounds, 12 when omitted] [pending, 100000]
const [rounds = '12', pending = '100000'] = process.argv.slice(2)
const events = 500
const worlds: Readonly<Record<string, ServerOptions>> = {
  'none dead': { pending: 0, dead: 'refused' },
  'one refuses connections': { pending: Number(pending), dead: 'refused' },
  'one never answers': { pending: Number(pending), dead: 'hanging' },
}
type World = {
  readonly name: string
  readonly opened: OpenedServer
  readonly p50: number[]
  readonly p99: number[]
}

const measure = async (
  { opened: { server, arrivals }, p50, p99 }: World,
  isCounted: boolean,
): Promise<void> => {
  server.resume()
  // What fell due while it stood still.
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

const ratio = (figures: readonly number[], base: readonly number[]): number =>
  Number(median(figures.map((figure, round) => figure / (base[round] ?? Number.NaN))).toFixed(2))

const results: Record<string, object> = {}
for (const engine of [sqliteEngine(), await postgresEngine()]) {
  const measured: World[] = []
  try {
    for (const [name, options] of Object.entries(worlds)) {
      const opened = await openServer(engine, options)
      opened.server.pause()
      measured.push({ name, opened, p50: [], p99: [] })
    }
    for (let round = -2; round < Number(rounds); round++) {
      for (const world of measured) await measure(world, round >= 0)
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
      'p50 against none dead': ratio(p50, base?.p50 ?? []),
      'p99 against none dead': ratio(p99, base?.p99 ?? []),
    }
  }
  writeResult('server-dead-endpoint', {
    results,
    worlds: measured.map(({ name, p50, p99 }) => ({ name, p50, p99 })),
  })
}
console.table(results)
