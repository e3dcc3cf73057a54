import { measureGrowth } from './src/growth/measure-growth.ts'
import { reportGrowth } from './src/growth/report-growth.ts'
import { listSizes, shapes } from './src/growth/shapes.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'

// Measures on SQLite, with every commit synced, how the cost of claiming up to 64 deliveries and settling them concurrently
// grows with the number of deliveries in the store, from 1,000 to 1,000,000. Settled events are published again, so that the
// size of the backlog stays the same.
//
//   node --conditions=@wabakit/source packages/bench/store-growth.ts [maximum = 1000000]
const [maximum = '1000000'] = process.argv.slice(2)
const engine = createSqliteEngine()
try {
  const growths = []
  for (const [shape, contents] of Object.entries(shapes)) {
    growths.push(await measureGrowth(engine, { shape, contents, sizes: listSizes(Number(maximum)) }))
  }
  reportGrowth('SQLite', growths)
} finally {
  await engine.close()
}
