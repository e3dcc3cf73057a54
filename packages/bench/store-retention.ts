import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Store } from '@wabakit/core'
import { startRetention } from '../server/src/serve/retention.ts'
import type { Engine } from './src/growth/backlog.ts'
import { measureLatency } from './src/growth/live-latency.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { shapes } from './src/growth/shapes.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { operations } from './src/growth/store-operations.ts'
import { median, medianRatio, summarize } from './src/measurement.ts'
import { writeResult } from './src/report.ts'

// Measures what finished deliveries cost: claims, new events and lists with 1,000,000 finished deliveries (and their events
// and attempts), compared with 10,000. Then measures how long publishing an event takes while they are pruned, and how long
// the first and the last batches of pruning take, and how long the event loop waits while the organization is removed.
//
//   node --conditions=@wabakit/source packages/bench/store-retention.ts [sqlite|postgres|both] [maximum] [latency seconds]
const [kind = 'both', maximum = '1000000', seconds = '20'] = process.argv.slice(2)
const few = 10_000
const many = Number(maximum)
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

/** Measures the latency of publishing an event: without pruning, with it, and with pruning that never pauses. */
const measureLatencies = async (store: Store): Promise<object> => {
  const withoutPruning = await measureLatency(store, Number(seconds))
  let removed = 0
  const prune: Store['prune'] = async (request) => {
    const count = await store.prune(request)
    removed += count
    return count
  }
  const computeRateSince = (start: number): number =>
    Math.round((1_000 * removed) / (performance.now() - start))
  const finishedBefore = Date.now() - many - 1
  const startOfRetention = performance.now()
  const stop = startRetention({
    store: { prune },
    keptMs: finishedBefore,
    recordsKeptMs: finishedBefore,
    onError: console.error,
  })
  const withRetention = await measureLatency(store, Number(seconds))
  await stop()
  const rateWithPauses = computeRateSince(startOfRetention)
  removed = 0
  const startWithoutPauses = performance.now()
  let isOver = false
  const pruneAll = async (): Promise<void> => {
    while (!isOver && (await prune({ before: many + 1, limit: 500 })) > 0);
  }
  const running = pruneAll()
  const withoutPauses = await measureLatency(store, Number(seconds))
  isOver = true
  await running
  return {
    'without pruning': withoutPruning,
    'with pruning': { ...withRetention, 'removed per second': rateWithPauses },
    'with batches of 500, without pauses': {
      ...withoutPauses,
      'removed per second': computeRateSince(startWithoutPauses),
    },
  }
}

/** Prunes everything else, and measures the first and the last batches. */
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
  // The last batches start when less than a tenth is left.
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
    'ms for 100 deliveries and 100 events, first batches': ms(first),
    'last batches': ms(last),
    'µs per row in batches of 5,000': Number(((1_000 * bulkMs) / removed).toFixed(1)),
  }
}

/** Removes an organization with 10,000 deliveries. */
const measureRemoval = async (store: Store): Promise<object> => {
  const [organization] = (await store.listOrganizations({ limit: 1 })).items
  if (organization === undefined) throw new Error('There is no organization.')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  await store.removeOrganization(organization.id)
  const seconds = (performance.now() - start) / 1_000
  delay.disable()
  const toMs = (nanoseconds: number): number => Number((nanoseconds / 1e6).toFixed(1))
  return {
    seconds: Number(seconds.toFixed(1)),
    'ms of event loop delay, p99': toMs(delay.percentile(99)),
    maximum: toMs(delay.max),
  }
}

const measure = async (engine: Engine): Promise<object> => {
  const contents = shapes['behind finished deliveries']
  if (contents === undefined) throw new Error('The shape does not exist.')
  const small = await engine.fill(contents(few))
  const large = await engine.fill(contents(many))
  console.log(`${engine.name}: filled`)
  const bytes = { full: await large.size() }
  const costs = await measureOperations([small.store, large.store])
  console.table(costs)
  const latencies = await measureLatencies(large.store)
  console.table(latencies)
  const batches = await measureBatches(large.store)
  const sizes = { ...bytes, pruned: await large.size() }
  console.table({ ...batches, 'GB full': sizes.full / 1e9, 'GB after pruning': sizes.pruned / 1e9 })
  const removal = await measureRemoval(small.store)
  console.table(removal)
  await small.remove()
  await large.remove()
  return { costs, latencies, batches, sizes, removal }
}

const results: Record<string, object> = {}
if (kind !== 'postgres') {
  const engine = createSqliteEngine()
  results.SQLite = await measure(engine).finally(engine.close)
}
if (kind !== 'sqlite') {
  const engine = await createPostgresEngine()
  results.PostgreSQL = await measure(engine).finally(engine.close)
}
writeResult('store-retention', { few, many, results })
