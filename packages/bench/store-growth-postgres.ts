import { measureGrowth } from './src/growth/measure-growth.ts'
import { postgresEngine } from './src/growth/postgres-engine.ts'
import { reportGrowth } from './src/growth/report-growth.ts'
import { numbersTo, shapes } from './src/growth/shapes.ts'

// On PostgreSQL what `store-growth` measures on SQLite, with its files synced.
//
//   node --conditions=@wabakit/source packages/bench/store-growth-postgres.ts [most, 1000000 when omitted]
const [most = '1000000'] = process.argv.slice(2)
const engine = await postgresEngine()
try {
  const growths = []
  for (const [shape, contents] of Object.entries(shapes)) {
    growths.push(await measureGrowth(engine, { shape, contents, numbers: numbersTo(Number(most)) }))
  }
  reportGrowth('PostgreSQL', growths)
} finally {
  await engine.close()
}
