import type { Store } from '@wabakit/core'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { createEvent, operations } from './src/growth/store-operations.ts'
import { measure, type Row, toRow } from './src/measure.ts'
import { publish } from './src/result.ts'
import { readTime, runPaced } from './src/run-tasks.ts'

// `--long` uses 10,000,000 deliveries.
const few = 10_000
const many = process.argv.includes('--long') ? 10_000_000 : 1_000_000
const perSecond = 100
const seconds = 15

/** Publishes 100 events a second, without waiting for earlier ones. Returns the latencies in microseconds. */
const measureLatencies = async (store: Store): Promise<number[]> => {
  const latencies: number[] = []
  await runPaced({ times: seconds * perSecond, perSecond }, async (at) => {
    await store.addEvent(createEvent())
    latencies.push(Math.max(0, readTime() - at) * 1_000)
  })
  return latencies
}

const rows: Row[] = []
for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  try {
    const fill = (deliveries: number) =>
      engine.fill({
        deliveries,
        subscriptions: 1_000,
        subject: `'group:' || n`,
        subscription: '1',
        dueAt: 'n',
        status: `case when n > ${deliveries - 1_000} then 'pending' else 'delivered' end`,
      })
    const backlogs = [await fill(few), await fill(many)] as const
    for (const [name, run] of Object.entries(operations)) {
      const floor = `${engine.name}, ${name}, ${few.toLocaleString('en')} finished`
      const contenders = backlogs.map(({ store }, index) => ({
        name: index === 0 ? floor : `${engine.name}, ${name}, ${many.toLocaleString('en')} finished`,
        floor: index === 0 ? undefined : floor,
        run: async (count: number) => {
          let nanoseconds = 0
          for (let turn = 0; turn < count; turn += 1) nanoseconds += await run(store)
          return { time: nanoseconds / 1_000 / count }
        },
      }))
      rows.push(...(await measure(contenders, { count: 10 })))
    }
    const [small, { store, ...large }] = backlogs
    const quiet = toRow(`${engine.name}, publish while nothing is pruned`, await measureLatencies(store))
    let isOver = false
    const prune = async (): Promise<void> => {
      while (!isOver) await store.prune({ before: many, limit: 100 })
    }
    const pruning = prune()
    const busy = toRow(
      `${engine.name}, publish while 100 at a time are pruned without a pause`,
      await measureLatencies(store),
      quiet,
    )
    isOver = true
    await pruning
    rows.push(quiet, busy)
    await small.remove()
    await large.remove()
  } finally {
    await engine.close()
  }
}
publish({
  name: 'store-retention',
  title: 'Many finished deliveries',
  about: `Operations on a store with ${many.toLocaleString('en')} finished deliveries, their events and attempts. The floor is a store with
${few.toLocaleString('en')}. The last rows show the latency of publishing an event during pruning, at 100 events a second.`,
  unit: 'time',
  rows,
})
