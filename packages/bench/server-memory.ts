import { openServer } from './src/growth/open-server.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { median } from './src/measurement.ts'
import { writeResult } from './src/report.ts'

// Shows whether the server's memory grows with the backlog: resident memory after garbage collection, with 1,000 and with
// 1,000,000 deliveries due to an endpoint that never responds, after 500 events were delivered to other endpoints.
//
//   node --conditions=@wabakit/source packages/bench/server-memory.ts [maximum pending = 1000000]
const [maximum = '1000000'] = process.argv.slice(2)
const events = 500
const readings = 5
const results: Record<string, object> = {}
for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  try {
    for (const pending of [1_000, Number(maximum)]) {
      const { server, arrivals, close } = await openServer(engine, { pending, dead: 'hanging' })
      try {
        const start = await server.command('memory')
        const megabytes: number[] = []
        for (let reading = 0; reading < readings; reading++) {
          await server.command('run', events)
          megabytes.push((await server.command('memory')) / 2 ** 20)
        }
        results[`${engine.name}, ${pending.toLocaleString('en')} pending`] = {
          'MiB at start': Math.round(start / 2 ** 20),
          'MiB during deliveries': Math.round(median(megabytes)),
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
