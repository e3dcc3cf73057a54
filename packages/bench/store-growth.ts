import { measureGrowth } from './src/growth/measure-growth.ts'
import { reportGrowth } from './src/growth/report-growth.ts'
import { numbersTo, shapes } from './src/growth/shapes.ts'
import { sqliteEngine } from './src/growth/sqlite-engine.ts'

// On SQLite, every commit synced: a claim of up to 64 deliveries and the settlement of all of them at once, as the
// dispatcher does it, with 1,000 to 1,000,000 deliveries in the store. What is settled is told anew, so that the backlog
// keeps its length.
//
//   node --conditions=@wabakit/source packages/bench/store-growth.ts [most, 1000000 when omitted]
const [most = '1000000'] = process.argv.slice(2)
const engine = sqliteEngine()
try {
  const growths = []
  for (const [shape, contents] of Object.entries(shapes)) {
    growths.push(await measureGrowth(engine, { shape, contents, numbers: numbersTo(Number(most)) }))
  }
  reportGrowth('SQLite', growths)
} finally {
  await engine.close()
}
