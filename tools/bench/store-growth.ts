import { type Contents, runCycle } from './src/growth/backlog.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { type Contender, measure, median, type Row } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

const sizes = [1_000, process.argv.includes('--long') ? 10_000_000 : 1_000_000]
const subscriptions = 1_000
const all = { subscriptions, subject: `'group:' || n`, status: `'pending'`, dueAt: 'n' }

/** The backlogs to measure, by the distribution of their deliveries. */
const shapes: Readonly<Record<string, (deliveries: number) => Contents>> = {
  'for one subscription': (deliveries) => ({ ...all, deliveries, subscription: '1' }),
  'for 1,000 subscriptions': (deliveries) => ({
    ...all,
    deliveries,
    subscription: `1 + n % ${subscriptions}`,
  }),
}

const rows: Row[] = []
const goals: Goal[] = []
for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  const growths: number[] = []
  try {
    for (const [shape, createContents] of Object.entries(shapes)) {
      const formatName = (size = 0): string => `${engine.name}, ${size.toLocaleString('en')} ${shape}`
      const backlogs = []
      for (const size of sizes) backlogs.push(await engine.fill(createContents(size)))
      console.log(`Filled ${formatName(sizes[1])}`)
      const contenders = backlogs.map(
        ({ store }, index): Contender => ({
          name: formatName(sizes[index]),
          floor: index === 0 ? undefined : formatName(sizes[0]),
          run: async (count) => {
            const times: number[] = []
            for (let cycle = 0; cycle < count; cycle += 1) {
              const { nanoseconds, deliveries } = await runCycle(store)
              times.push(nanoseconds / 1_000 / deliveries)
            }
            return { time: median(times) }
          },
        }),
      )
      const measured = await measure(contenders, { count: 20 })
      growths.push(1 / (measured[1]?.ofFloor ?? NaN))
      rows.push(...measured)
      for (const backlog of backlogs) await backlog.remove()
    }
  } finally {
    await engine.close()
  }
  goals.push({
    id: 'P6',
    what: `${engine.name}, read and settle, ${sizes[1]?.toLocaleString('en')} pending relative to 1,000`,
    result: Math.max(...growths),
    limit: { atMost: 1.5 },
  })
}
publish({
  name: 'store-growth',
  title: 'A growing backlog',
  about: `The time per delivery to read 64 deliveries of as many subscriptions as possible and to settle them. Every commit is
synced. Settled events are published again, so that the backlog keeps its size. The floor is a backlog of 1,000 deliveries.
Add \`--long\` for 10,000,000 instead of 1,000,000.`,
  unit: 'time',
  rows,
  goals,
})
