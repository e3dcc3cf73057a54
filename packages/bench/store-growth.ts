import { type Contents, runCycle } from './src/growth/backlog.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { type Contender, measure, median, type Row } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

const isLong = process.argv.includes('--long')
const sizes = [1_000, isLong ? 10_000_000 : 1_000_000]
const subscriptions = 1_000
const own = { subscriptions, subject: `'group:' || n`, subscription: '1', status: `'pending'`, dueAt: 'n' }

/** How the deliveries of a backlog are spread over lanes and subscriptions. */
const shapes: Readonly<Record<string, (deliveries: number) => Contents>> = {
  'each its own lane': (deliveries) => ({ ...own, deliveries }),
  ...(!isLong && {
    'in one lane': (deliveries) => ({
      ...{ ...own, deliveries, subject: `'group:0'` },
      status: `case n when 1 then 'pending' else 'waiting' end`,
    }),
    'over 1,000 subscriptions': (deliveries) => ({
      ...{ ...own, deliveries, subscription: `1 + n % ${subscriptions}` },
    }),
    'behind finished deliveries': (deliveries) => ({
      ...{ ...own, deliveries },
      status: `case when n > ${deliveries - 1_000} then 'pending' else 'delivered' end`,
    }),
  }),
}

const rows: Row[] = []
const goals: Goal[] = []
for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  const growths: number[] = []
  try {
    for (const [shape, createContents] of Object.entries(shapes)) {
      const nameOf = (size = 0): string => `${engine.name}, ${size.toLocaleString('en')} ${shape}`
      const backlogs = []
      for (const size of sizes) backlogs.push(await engine.fill(createContents(size)))
      const contenders = backlogs.map(
        ({ store }, index): Contender => ({
          name: nameOf(sizes[index]),
          floor: index === 0 ? undefined : nameOf(sizes[0]),
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
    what: `claim and settle on ${engine.name}, with ${sizes[1]?.toLocaleString('en')} times with 1,000`,
    result: Math.max(...growths),
    limit: { atMost: 1.5 },
  })
}
publish({
  name: 'store-growth',
  title: 'Claiming from a growing backlog',
  about: `Claims up to 64 deliveries and settles them concurrently, every commit synced; per delivery. Settled events are
published again, so that the backlog stays as large as it is. The floor is the same with 1,000 deliveries. Add \`--long\` for
10,000,000 in their own lanes.`,
  unit: 'time',
  rows,
  goals,
})
