import { openServer } from './src/growth/open-server.ts'
import { postgresEngine } from './src/growth/postgres-engine.ts'
import { sqliteEngine } from './src/growth/sqlite-engine.ts'
import { median, writeResult } from './src/rounds.ts'

// Whether the memory of the server grows with the backlog: resident bytes of its process, after a collection, with 1,000
// and with 1,000,000 deliveries due to an endpoint that never answers, after it has delivered 500 events to others.
//
//   node --conditions=@wabakit/source packages/bench/server-memory.ts [most pending, 1000000 when omitted]
const [most = '1000000'] = process.argv.slice(2)
const events = 500
const readings = 5
const results: Record<string, object> = {}
for (const engine of [sqliteEngine(), await postgresEngine()]) {
  try {
    for (const pending of [1_000, Number(most)]) {
      const { server, arrivals, close } = await openServer(engine, { pending, dead: 'hanging' })
      try {
        const start = await server.command('memory')
        const megabytes: number[] = []
        for (let reading = 0; reading < readings; reading++) {
          await server.command('run', events)
          megabytes.push((await server.command('memory')) / 2 ** 20)
        }
        results[`${engine.name}, ${pending.toLocaleString('en')} pending`] = {
          'MiB at the start': Math.round(start / 2 ** 20),
          'MiB while it delivers': Math.round(median(megabytes)),
          delivered: await arrivals.command('count'),
        }
      } finally {
        close()
      }
    }
  } finally {
    await engine.close()
  }
}
console.table(results)
writeResult('server-memory', { results })
