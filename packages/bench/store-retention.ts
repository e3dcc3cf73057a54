import type { Store } from '@wabakit/core'
import { startRetention } from '../server/src/host/retention.ts'
import type { Engine } from './src/growth/backlog.ts'
import { measureLatency } from './src/growth/live-latency.ts'
import { operations } from './src/growth/operations.ts'
import { postgresEngine } from './src/growth/postgres-engine.ts'
import { shapes } from './src/growth/shapes.ts'
import { sqliteEngine } from './src/growth/sqlite-engine.ts'
import { median, medianRatio, summarize, writeResult } from './src/rounds.ts'

// What much that is finished costs: claims, new events and lists with 1,000,000 settled deliveries (with their attempts
// and events) against 10,000. Then how long those who tell events wait while it is removed, and what a batch of that
// takes, first and last.
//
//   node --conditions=@wabakit/source packages/bench/store-retention.ts [sqlite|postgres|both] [most] [latency seconds]
const [kind = 'both', most = '1000000', seconds = '20'] = process.argv.slice(2)
const few = 10_000
const many = Number(most)
const rounds = 15
const batch = 100

const measureOperations = async (stores: readonly [Store, Store]): Promise<object> => {
  const figures: Record<string, object> = {}
  for (const [name, run] of Object.entries(operations)) {
    const taken = stores.map(() => [] as number[])
    for (let round = -2; round < rounds; round++) {
      for (const [index, store] of stores.entries()) {
        const turns: number[] = []
        for (let turn = 0; turn < 10; turn++) turns.push(await run(store))
        if (round >= 0) taken[index]?.push(median(turns))
      }
    }
    const [least, greatest] = taken.map((each) => summarize(name, each))
    if (least === undefined || greatest === undefined) continue
    figures[name] = {
      'µs with few': Number((least.median / 1_000).toFixed(1)),
      'µs with many': Number((greatest.median / 1_000).toFixed(1)),
      times: Number(medianRatio(greatest, least).toFixed(2)),
    }
  }
  return figures
}

/** Waits of those who tell events: undisturbed, while retention works, and if it never rested. */
const measureWaits = async (store: Store): Promise<object> => {
  const undisturbed = await measureLatency(store, Number(seconds))
  let removed = 0
  const prune: Store['prune'] = async (request) => {
    const count = await store.prune(request)
    removed += count
    return count
  }
  /** How many were removed in a second since the time. */
  const rateSince = (start: number): number => Math.round((1_000 * removed) / (performance.now() - start))
  const settledBefore = Date.now() - many - 1
  const startOfRetention = performance.now()
  const stop = startRetention({ store: { prune }, keptMs: settledBefore, onError: console.error })
  const withRetention = await measureLatency(store, Number(seconds))
  await stop()
  const rateWithRests = rateSince(startOfRetention)
  removed = 0
  const startWithoutRests = performance.now()
  let isOver = false
  const pruneAll = async (): Promise<void> => {
    while (!isOver && (await prune({ before: many + 1, limit: 500 })) > 0);
  }
  const running = pruneAll()
  const withoutRests = await measureLatency(store, Number(seconds))
  isOver = true
  await running
  return {
    undisturbed,
    'retention at work': { ...withRetention, 'removed a second': rateWithRests },
    '500 at a time without rests': { ...withoutRests, 'removed a second': rateSince(startWithoutRests) },
  }
}

/** Removes all the rest; the milliseconds of a batch at the start and at the end. */
const measureBatches = async (store: Store): Promise<object> => {
  const time = async (): Promise<number[]> => {
    const batches: number[] = []
    for (let index = 0; index < 100; index++) {
      const start = performance.now()
      if ((await store.prune({ before: many + 1, limit: batch })) === 0) break
      batches.push(performance.now() - start)
    }
    return batches
  }
  const first = await time()
  const start = performance.now()
  let removed = 0
  // The last batches come when less than a tenth is left.
  for (let left = 2 * many; left > 0.1 * many; ) {
    const count = await store.prune({ before: 0.95 * many, limit: 5_000 })
    if (count === 0) break
    removed += count
    left -= count
  }
  const bulkMs = performance.now() - start
  const last = await time()
  const ms = (figures: readonly number[]): number => Number(median(figures).toFixed(2))
  return {
    'ms for 100 deliveries and 100 events, first': ms(first),
    'last twentieth': ms(last),
    'in batches of 5,000, µs each': Number(((1_000 * bulkMs) / removed).toFixed(1)),
  }
}

const measure = async (engine: Engine): Promise<object> => {
  const contents = shapes['behind settled ones']
  if (contents === undefined) throw new Error('no such shape')
  const small = await engine.fill(contents(few))
  const large = await engine.fill(contents(many))
  console.log(`${engine.name}: filled`)
  const bytes = { full: await large.size() }
  const costs = await measureOperations([small.store, large.store])
  console.table(costs)
  const waits = await measureWaits(large.store)
  console.table(waits)
  const batches = await measureBatches(large.store)
  const sizes = { ...bytes, pruned: await large.size() }
  console.table({ ...batches, 'GB full': sizes.full / 1e9, 'GB after pruning': sizes.pruned / 1e9 })
  await small.remove()
  await large.remove()
  return { costs, waits, batches, sizes }
}

const results: Record<string, object> = {}
if (kind !== 'postgres') {
  const engine = sqliteEngine()
  results.SQLite = await measure(engine).finally(engine.close)
}
if (kind !== 'sqlite') {
  const engine = await postgresEngine()
  results.PostgreSQL = await measure(engine).finally(engine.close)
}
writeResult('store-retention', { few, many, results })
