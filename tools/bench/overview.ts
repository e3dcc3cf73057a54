import { setTimeout as sleep } from 'node:timers/promises'
import { createReferenceServer } from '@wabakit/core'
import { planRollUps } from '@wabakit/core/storage'
import { Client } from 'pg'
import {
  listSubscriptionOverviews,
  readOverview,
} from '../../packages/core/src/control/overview/read-overview.ts'
import { type Backlog, type GrowthEngine, runCycle } from './src/growth/backlog.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { type Row, toRow } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

const isLong = process.argv.includes('--long')
const deliveries = isLong ? 10_000_000 : 1_000_000
const heldSeconds = isLong ? 300 : 30
const subscriptions = 50
const reads = 20
const week = 7 * 86_400_000

/** Writes a week of full records: by ten seconds for the last minutes, then by minutes, ten minutes and hours. */
const addFigures = async ({ store }: Backlog): Promise<void> => {
  const now = Date.now()
  const counts = {
    events: 9,
    delivered: 8,
    failed: 1,
    'cause:timeout': 1,
    'ms:25': 5,
    'ms:100': 3,
    'ms:15000': 1,
  }
  const ids = ['', ...Array.from({ length: subscriptions }, (_, index) => `sub_${index + 1}`)]
  let time = now
  for (const { span, before } of [...planRollUps(now), { span: 3_600_000, before: now - week }]) {
    for (; time >= before; time -= span) {
      const period = { at: Math.floor(time / span) * span, span }
      await store.addFigures(
        ids.map((subscriptionId) => ({ organizationId: 'acme', subscriptionId, ...period, counts })),
      )
    }
  }
}

/** Returns the times of reading each overview, in microseconds. */
const readAll = async ({ store }: Backlog) => {
  const service = createReferenceServer({ store })
  const context = { service, now: Date.now }
  const overviews: Readonly<Record<string, () => Promise<unknown>>> = {
    'the last hour': () => readOverview(context, 'acme', { window: 'hour' }),
    'the last week': () => readOverview(context, 'acme', { window: 'week' }),
    'the last week of 25 subscriptions': () =>
      listSubscriptionOverviews(context, 'acme', { window: 'week', limit: 25 }),
  }
  const measured = []
  for (const [name, run] of Object.entries(overviews)) {
    const times: number[] = []
    for (let read = 0; read < reads; read += 1) {
      const start = performance.now()
      JSON.stringify(await run())
      times.push((performance.now() - start) * 1_000)
    }
    measured.push({ name, times })
  }
  return measured
}

/** Holds a snapshot while deliveries go on, for a while and then during `work`. */
const holdSnapshot = async <Result>(
  { database, store }: Backlog,
  work: () => Promise<Result>,
): Promise<Result> => {
  const client = new Client({ connectionString: database })
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query('SELECT count(*) FROM pg_class')
  let isOver = false
  let settled = 0
  const deliver = async (): Promise<void> => {
    while (!isOver) settled += (await runCycle(store)).deliveries
  }
  try {
    const delivering = deliver()
    await Promise.race([delivering, sleep(heldSeconds * 1_000)])
    console.log(`Settled ${settled.toLocaleString('en')} deliveries next to the snapshot`)
    const result = await work()
    isOver = true
    await delivering
    return result
  } finally {
    await client.end()
  }
}

const rows: Row[] = []
const goals: Goal[] = []
const measureEngine = async (engine: GrowthEngine): Promise<void> => {
  const backlog = await engine.fill({
    deliveries,
    subscriptions,
    subject: `'group:' || n`,
    subscription: `1 + n % ${subscriptions}`,
    status: `case when n % 9 = 0 then 'pending' else 'delivered' end`,
    dueAt: 'n',
  })
  await addFigures(backlog)
  console.log(`Filled ${engine.name}`)
  const record = async (state: string): Promise<void> => {
    const measured = await readAll(backlog)
    rows.push(...measured.map(({ name, times }) => toRow(`${engine.name}${state}, ${name}`, times)))
    goals.push({
      id: 'P13',
      what: `${engine.name}${state}, ms of the slowest overview, ${deliveries.toLocaleString('en')} deliveries`,
      result: Math.max(...measured.flatMap(({ times }) => times)) / 1_000,
      limit: { atMost: 300 },
    })
  }
  try {
    await record('')
    if (engine.name === 'PostgreSQL') await holdSnapshot(backlog, () => record(' next to a held snapshot'))
  } finally {
    await backlog.remove()
  }
}

for (const create of [createSqliteEngine, createPostgresEngine]) {
  const engine = await create()
  try {
    await measureEngine(engine)
  } finally {
    await engine.close()
  }
}
publish({
  name: 'overview',
  title: 'The overview of many deliveries',
  about: `The time to read the overview of an organization with ${subscriptions} subscriptions, and of 25 of them at once. A ninth of the
deliveries are unfinished. Shows the median, minimum and maximum of ${reads} reads, also while 64 deliveries at a time are
settled next to a snapshot that has been held for ${heldSeconds} seconds. Add \`--long\` for 10,000,000 deliveries and five minutes.`,
  unit: 'time',
  rows,
  goals,
})
