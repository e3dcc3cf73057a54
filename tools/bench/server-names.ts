import { startNameServer } from '../../packages/webhooks/test/names/name-server.ts'
import { openScenario, type ScenarioOptions } from './src/growth/open-scenario.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { toRow } from './src/measure.ts'
import { publish } from './src/result.ts'

// A measurement takes 20 seconds by default: lookups of silent names take 8.
const events = 400 * Number(process.env.BENCH_ROUNDS ?? 5)
const turns = 3
const kinds = ['silent', 'slow', 'failing'] as const

const nameServer = await startNameServer((name) => {
  if (name.startsWith('silent')) return { delayMs: Infinity }
  if (name.startsWith('failing')) return { code: 2 }
  return { a: ['127.0.0.1'], ttl: 1, ...(name.startsWith('slow') && { delayMs: 5_000 }) }
})
process.env.BENCH_NAME_SERVER = nameServer.address

const hosts = {
  healthy: (index: number) => `healthy-${index}.test`,
  suspect: (index: number) => `${kinds[index % kinds.length]}-${index}.test`,
}
const scenarios: Readonly<Record<string, ScenarioOptions>> = {
  'no others': { hosts },
  '60 names, one organization': { hosts, suspects: 60, owner: 'one' },
  '60 names, 60 organizations': { hosts, suspects: 60, owner: 'each' },
}

const p99 = new Map(Object.keys(scenarios).map((name) => [name, [] as number[]]))
for (let turn = 0; turn < turns; turn++) {
  for (const [name, options] of Object.entries(scenarios)) {
    const engine = createSqliteEngine()
    const opened = await openScenario(engine, options)
    try {
      await opened.server.command('flood', 20)
      p99.get(name)?.push(await opened.measureLatency(events))
    } finally {
      opened.close()
      await engine.close()
    }
  }
}
nameServer.close()
const [base, ...others] = [...p99].map(([name, figures]) => toRow(name, figures))
if (base === undefined) throw new Error('There is no floor.')
publish({
  name: 'server-names',
  title: 'Names that are not resolved',
  about: `100 events a second for 20 endpoints whose names are resolved at once, next to 20 names without an answer, 20 whose answer takes 5 s, and
20 that fail, with 20 deliveries each. The times are the p99 of the delays of events. The floor is a server without these names. Each
scenario runs ${turns} times, alternating with the others; the results are medians.`,
  unit: 'time',
  rows: [base, ...[...p99].slice(1).map(([name, figures]) => toRow(name, figures, base))],
  goals: [
    {
      id: 'P6',
      what: 'SQLite, p99 next to names that are not resolved, relative to none',
      result: Math.max(...others.map(({ time }) => time)) / base.time,
      limit: { atMost: 1.3 },
    },
  ],
})
