import type { Store } from '@wabakit/core'
import { type Backlog, type Engine, runCycle } from './src/growth/backlog.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { median } from './src/measurement.ts'
import { writeResult } from './src/report.ts'

// Measures a claim of 64 and the lookup of the next due time, with 20,000 deliveries spread over 1 to 10,000 subscriptions.
// Either all deliveries are due, or those of one subscription are, and the others are due tomorrow.
//
//   node --conditions=@wabakit/source packages/bench/store-busy.ts [sqlite|postgres|both]
const [kind = 'both'] = process.argv.slice(2)
const deliveries = 20_000
const numbers = [1, 100, 1_000, 10_000]
const rounds = 15
const cyclesPerRound = 5

const kinds: Readonly<Record<string, string>> = {
  'all due': 'n',
  'one due': `case when n % 10 = 0 then n else ${Date.now() + 86_400_000} + n end`,
}

const timeNextDueAt = async (store: Store): Promise<number> => {
  const start = performance.now()
  for (let index = 0; index < cyclesPerRound; index++) await store.nextDueAt()
  return (performance.now() - start) / cyclesPerRound
}

const measure = async (engine: Engine): Promise<object> => {
  const results: Record<string, object> = {}
  for (const [name, dueAt] of Object.entries(kinds)) {
    const backlogs = new Map<number, Backlog>()
    const taken = new Map(numbers.map((each) => [each, { claim: [] as number[], next: [] as number[] }]))
    for (const subscriptions of numbers) {
      const spread = `1 + n % ${subscriptions}`
      backlogs.set(
        subscriptions,
        await engine.fill({
          ...{ deliveries, subscriptions, subject: `'group:' || n`, status: `'pending'`, dueAt },
          subscription: name === 'all due' ? spread : `case when n % 10 = 0 then 1 else ${spread} end`,
        }),
      )
    }
    for (let round = -2; round < rounds; round++) {
      for (const [subscriptions, { store }] of backlogs) {
        const claims: number[] = []
        for (let cycle = 0; cycle < cyclesPerRound; cycle++) {
          claims.push((await runCycle(store)).claimNanoseconds / 1e6)
        }
        if (round < 0) continue
        taken.get(subscriptions)?.claim.push(median(claims))
        taken.get(subscriptions)?.next.push(await timeNextDueAt(store))
      }
    }
    for (const [subscriptions, { claim, next }] of taken) {
      results[`${engine.name}, ${name}, ${subscriptions.toLocaleString('en')} busy`] = {
        'claim of 64, ms': Number(median(claim).toFixed(2)),
        'next due time, ms': Number(median(next).toFixed(2)),
      }
    }
    for (const { remove } of backlogs.values()) await remove()
  }
  return results
}

const results = {}
if (kind !== 'postgres') {
  const engine = createSqliteEngine()
  Object.assign(results, await measure(engine).finally(engine.close))
}
if (kind !== 'sqlite') {
  const engine = await createPostgresEngine()
  Object.assign(results, await measure(engine).finally(engine.close))
}
console.table(results)
writeResult('store-busy', { results })
