import { Client } from 'pg'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { findPostmaster, readCpuTime, readFamilyCpuTime } from './src/cpu-time.ts'
import { type Queue, startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { pace } from './src/deliveries/settings.ts'
import { median, type Row, toRow } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

// `--long` holds the snapshot for 30 minutes.
const isLong = process.argv.includes('--long')
const windowSeconds = 10
const held = Number(process.env.BENCH_ROUNDS ?? (isLong ? 180 : 6))
const windows = { without: Math.ceil(held / 6) + 2, held }

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '400' },
})
const postmaster = await findPostmaster(cluster)

type Measured = { readonly p99s: readonly number[]; readonly cpus: readonly number[] }

/** Publishes 500 events a second. Returns the 99th percentile and the CPU time per delivery of each window. */
const measureWindows = async ({ producer, workers, endpoint }: Queue, count: number): Promise<Measured> => {
  const readCpu = (): number =>
    [producer, ...workers].reduce((sum, { pid }) => sum + readCpuTime(pid), readFamilyCpuTime(postmaster))
  const p99s: number[] = []
  const cpus: number[] = []
  for (let window = 0; window < count; window += 1) {
    const before = readCpu()
    const times = windowSeconds * pace
    await Promise.all([producer.command('pace', times), endpoint.command('arrivals', times)])
    cpus.push((readCpu() - before) / times)
    p99s.push(await endpoint.command('p99'))
  }
  return { p99s, cpus }
}

/** Runs `work` while a transaction holds a snapshot, as `pg_dump` does. */
const holdSnapshot = async <Result>(database: string, work: () => Promise<Result>): Promise<Result> => {
  const client = new Client({ connectionString: database })
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query('SELECT count(*) FROM pg_class')
  try {
    return await work()
  } finally {
    await client.query('COMMIT')
    await client.end()
  }
}

const rows: Row[] = []
const goals: Goal[] = []
for (const kind of ['wabakit', 'graphile-worker', 'pg-boss'] as const) {
  const database = await cluster.createDatabase()
  const endpoint = await startEndpoint()
  const queue = await startQueue({ kind, database, endpoint })
  try {
    await measureWindows(queue, 1)
    const without = await measureWindows(queue, windows.without)
    const held = await holdSnapshot(database, () => measureWindows(queue, windows.held))
    const base = toRow(kind, without.p99s)
    rows.push(
      { ...base, cpu: median(without.cpus) },
      { ...toRow(`${kind}, next to a held snapshot`, held.p99s, base), cpu: median(held.cpus) },
    )
    if (kind !== 'wabakit') continue
    const compare = (key: keyof Measured): number => median(held[key]) / median(without[key])
    goals.push(
      {
        id: 'P6',
        what: 'PostgreSQL, p99 next to a held snapshot, relative to without',
        result: compare('p99s'),
        limit: { atMost: 1.2 },
      },
      {
        id: 'P6',
        what: 'PostgreSQL, CPU time next to a held snapshot, relative to without',
        result: compare('cpus'),
        limit: { atMost: 1.3 },
      },
    )
  } finally {
    for (const child of [queue.producer, ...queue.workers, endpoint]) child.close()
  }
}
publish({
  name: 'server-held-snapshot',
  title: 'Next to a long transaction',
  about: `500 deliveries a second on PostgreSQL, while another transaction holds a snapshot, as \`pg_dump\` does. PostgreSQL cannot
remove rows that are deleted in the meantime. Shows the median, minimum and maximum of the 99th percentiles of ${windowSeconds}-second
windows. For wabakit, every tenth event comes from a rate-limited create over HTTP. CPU time is per delivery, and includes
all processes except the endpoint. The snapshot is held for a minute or, with \`--long\`, for 30 minutes.`,
  unit: 'time',
  rows,
  goals,
})
