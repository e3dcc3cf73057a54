import { measureGrowth } from './src/growth/measure-growth.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { reportGrowth } from './src/growth/report-growth.ts'
import { listSizes, shapes } from './src/growth/shapes.ts'

// Measures on PostgreSQL what `store-growth` measures on SQLite.
//
//   node --conditions=@wabakit/source packages/bench/store-growth-postgres.ts [maximum = 1000000]
const [maximum = '1000000'] = process.argv.slice(2)
const engine = await createPostgresEngine()
try {
  const growths = []
  for (const [shape, contents] of Object.entries(shapes)) {
    growths.push(await measureGrowth(engine, { shape, contents, sizes: listSizes(Number(maximum)) }))
  }
  reportGrowth('PostgreSQL', growths)
} finally {
  await engine.close()
}
