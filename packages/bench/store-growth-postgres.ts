import type { SettlementResult, Store } from '@wabakit/core'
import { openPostgres, type PostgresDatabase, postgresStore } from '@wabakit/server/postgres'
import { createCluster } from '../server/test/postgres-cluster.ts'
import { type Measurement, median, medianRatio, report } from './src/rounds.ts'

// On PostgreSQL, with its files synced: a claim of up to 64 deliveries and the settlement of all of them at once, with
// 1,000 and with 1,000,000 deliveries pending, and with 1,000,000 that are settled. What is settled is told anew, so
// that the backlog keeps its length. Then pruning: what it takes, and what claims take meanwhile.
//
//   node --conditions=@wabakit/source packages/bench/store-growth-postgres.ts [most, 1000000 when omitted]
const [most = '1000000'] = process.argv.slice(2)
const large = Number(most)
const limit = 64
const subscriptions = 100

/** How deliveries are spread: SQL for the subject, the subscription and the status of the `n`-th. */
type Shape = { readonly subject: string; readonly subscription: string; readonly status: string }

const pending = `'pending'`
const shapes: Readonly<Record<string, Shape>> = {
  'each its own lane': { subject: `'group:' || n`, subscription: '1', status: pending },
  'in one lane': {
    subject: `'group:0'`,
    subscription: '1',
    status: `CASE n WHEN 1 THEN 'pending' ELSE 'waiting' END`,
  },
  'over 100 subscriptions': {
    subject: `'group:' || n`,
    subscription: `1 + n % ${subscriptions}`,
    status: pending,
  },
  'behind settled ones': {
    subject: `'group:' || n`,
    subscription: '1',
    status: `CASE WHEN n > ${large - 1_000} THEN 'pending' ELSE 'delivered' END`,
  },
}

const fillSql = ({ subject, subscription, status }: Shape, count: number): string => `
  INSERT INTO wabakit.organizations (id, revision, call_summaries, integrations, pstn_numbers, created_at)
  VALUES ('acme', 1, 'manual', '[]', '[]', 0);
  INSERT INTO wabakit.subscriptions (id, organization_id, revision, channel, number, digits, url, secret, created_at, updated_at)
  SELECT 'sub_' || n, 'acme', 1, 'WHATSAPP', n, n, 'https://receiver.example/', 'whsec_', 0, 0 FROM generate_series(1, ${subscriptions}) n;
  INSERT INTO wabakit.events
  SELECT n, 'old_' || n, 'acme', 'GROUP_PARTICIPANT_JOINED', ${subject}, 'WHATSAPP', (${subscription})::text,
    '{"event":"GROUP_PARTICIPANT_JOINED","groupName":"${'x'.repeat(200)}"}', NULL, 0 FROM generate_series(1, ${count}) n;
  SELECT setval('wabakit.event_positions', ${count});
  INSERT INTO wabakit.deliveries
    (organization_id, subscription, event, event_name, subject, status, holds_lane, due_at, settled_at, attempts)
  SELECT 'acme', sub, n, 'GROUP_PARTICIPANT_JOINED', subject, status, status = 'pending',
    CASE status WHEN 'pending' THEN n END, CASE status WHEN 'delivered' THEN n END, (status = 'delivered')::integer
  FROM (SELECT n, ${subscription} AS sub, ${subject} AS subject, ${status} AS status FROM generate_series(1, ${count}) n) AS d;
  INSERT INTO wabakit.attempts
  SELECT position, 1, 0, 12, 'https://receiver.example/', 200, NULL, 'ok', true FROM wabakit.deliveries WHERE status = 'delivered'`

type Backlog = {
  readonly name: string
  readonly database: PostgresDatabase
  readonly store: Store
  /** Median nanoseconds per delivery of each round. */
  readonly rounds: number[]
}

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB', maintenance_work_mem: '256MB' },
})

const fill = async (name: string, count: number, shape: Shape): Promise<Backlog> => {
  const start = performance.now()
  const database = await openPostgres({ url: await cluster.createDatabase(), statementTimeoutMs: 600_000 })
  for (const statement of fillSql(shape, count).split(';\n')) await database.query(statement)
  for (const table of ['events', 'deliveries', 'attempts'])
    await database.query(`VACUUM (ANALYZE) wabakit.${table}`)
  console.log(`${name}: filled in ${((performance.now() - start) / 1_000).toFixed(1)} s`)
  return { name, database, store: postgresStore(database), rounds: [] }
}

const attempt = { startedAt: 0, durationMs: 1, url: 'https://receiver.example/', status: 200, error: null }
const result: SettlementResult = { kind: 'delivered', attempt: { ...attempt, responseBody: 'ok' } }
let names = 0

/** Claims and settles a batch; the nanoseconds it took per delivery, without the telling anew. */
const cycle = async ({ store }: Pick<Backlog, 'store'>): Promise<number> => {
  const claimId = `claim_${names++}`
  const start = process.hrtime.bigint()
  const claim = { claimId, now: 0, leaseMs: 60_000, limit, perSubscription: limit }
  const claimed = await store.claimDeliveries(claim)
  await Promise.all(
    claimed.map(({ delivery }) =>
      store.settleDelivery({ deliveryId: delivery.id, claimId, now: 0, result, failingLimitMs: 1 }),
    ),
  )
  const taken = Number(process.hrtime.bigint() - start) / claimed.length
  await Promise.all(
    claimed.map(({ event }) => store.addEvent({ ...event, id: `new_${names++}`, subject: event.subject })),
  )
  return taken
}

const summarize = (name: string, rounds: readonly number[]): Measurement => {
  const sorted = rounds.toSorted((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  const quartiles = [sorted[quarter] ?? Number.NaN, sorted.at(-1 - quarter) ?? Number.NaN] as const
  return { name, median: median(rounds), quartiles, rounds }
}

const rounds = 15
const measurements: Measurement[] = []
const growth: Record<string, number> = {}
const pruning: Record<string, object> = {}

for (const [name, shape] of Object.entries(shapes)) {
  const few = await fill(`${(1_000).toLocaleString('en')} ${name}`, 1_000, {
    ...shape,
    status: name === 'in one lane' ? shape.status : pending,
  })
  const many = await fill(`${large.toLocaleString('en')} ${name}`, large, shape)
  // Batches take turns, so that a slow moment of the machine hits both; a figure is the median of a round of 10.
  for (let round = -2; round < rounds; round++) {
    const taken = new Map([few, many].map((backlog) => [backlog, [] as number[]]))
    for (let batch = 0; batch < 10; batch++) {
      for (const [backlog, figures] of taken) figures.push(await cycle(backlog))
    }
    if (round >= 0) for (const [backlog, figures] of taken) backlog.rounds.push(median(figures))
  }
  const pair = [few, many].map((backlog) => summarize(backlog.name, backlog.rounds))
  measurements.push(...pair)
  const [least, greatest] = pair
  if (least && greatest) growth[name] = Number(medianRatio(greatest, least).toFixed(2))
  console.log(`${name}: times the cost ${growth[name]}`)

  if (name === 'behind settled ones') pruning[`of ${large.toLocaleString('en')}`] = await prune(many)
  await few.database.close()
  await many.database.close()
}

/** Prunes everything that is settled in batches, claiming and settling in between. */
async function prune(backlog: Backlog): Promise<object> {
  const batches: number[] = []
  const claims: number[] = []
  let removed = 0
  for (;;) {
    const start = performance.now()
    const count = await backlog.store.prune({ before: large, limit: 1_000 })
    if (count === 0) break
    removed += count
    batches.push(performance.now() - start)
    if (batches.length % 20 === 0) claims.push(await cycle(backlog))
  }
  const tenth = Math.ceil(batches.length / 10)
  const ms = (figures: readonly number[]): number => Number(median(figures).toFixed(1))
  return {
    'records removed': removed,
    'batches of 1,000': batches.length,
    'ms a batch, first tenth': ms(batches.slice(0, tenth)),
    'ms a batch, last tenth': ms(batches.slice(-tenth)),
    'slowest batch, ms': Number(Math.max(...batches).toFixed(1)),
    'claim and settle meanwhile, µs': Number((median(claims) / 1_000).toFixed(1)),
  }
}

report('Claim and settle on PostgreSQL, per delivery', 'store-growth-postgres', measurements, {
  growth,
  pruning,
})
console.log(`With ${large.toLocaleString('en')} in the store, times the cost with 1,000:`, growth)
console.table(pruning)
