import { Client } from 'pg'
import { createCluster } from '../server/test/postgres-cluster.ts'
import type { Child } from './src/commands.ts'
import { findParent, readCpuTime, readFamilyCpuTime } from './src/cpu-time.ts'
import { installBullMq } from './src/deliveries/bullmq.ts'
import {
  createBacklog,
  createBareLoop,
  createCommitLoops,
  createEndToEnd,
  sumCpuTime,
} from './src/deliveries/contender.ts'
import { createCpuMeter } from './src/deliveries/cpu-meter.ts'
import { reportDeliveries } from './src/deliveries/delivery-report.ts'
import { connections } from './src/deliveries/job.ts'
import { measureWorkers } from './src/deliveries/measure-workers.ts'
import {
  type QueueOptions,
  startBareLoop,
  startCommitLoop,
  startEndpoint,
  startQueue,
} from './src/deliveries/processes.ts'
import { type Appendfsync, type Redis, startRedis } from './src/redis.ts'
import { type Contender, measureRounds } from './src/rounds.ts'

// Durable deliveries on PostgreSQL, with every commit synced: events are stored, signed, sent and settled, end to end and
// from a backlog. Peers do the same job. All processes, the endpoint and the database share one machine.
//
//   node --conditions=@wabakit/source packages/bench/server-deliveries-postgres.ts [queues = all]
const count = 2_048
const named = process.argv.slice(2)
const isSelected = (name: string): boolean => named.length === 0 || named.includes(name)

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '400' },
})

/** Finds the main process of PostgreSQL, the parent of all others. */
const findPostmaster = async (): Promise<number> => {
  const client = new Client({ connectionString: await cluster.createDatabase() })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const postmaster = findParent(rows[0]?.pid ?? 0)
  await client.end()
  return postmaster
}

const postmaster = await findPostmaster()
const postgresCpu = (): number => readFamilyCpuTime(postmaster)
const meter = createCpuMeter()
const children: Child[] = []
const redises: Redis[] = []
const contenders: Contender[] = []

const addLoops = async (endpoint: Child): Promise<void> => {
  const loop = await startBareLoop(endpoint)
  const commits = await startCommitLoop(await cluster.createDatabase())
  children.push(loop, commits)
  contenders.push(meter.measure(createBareLoop(loop, endpoint), () => ({ workers: sumCpuTime(loop) })))
  for (const contender of createCommitLoops(commits, 'PostgreSQL'))
    contenders.push(
      meter.measure(contender, () => ({ producer: sumCpuTime(commits), database: postgresCpu() })),
    )
}

const addQueue = async (name: string, options: QueueOptions, databaseCpu = postgresCpu): Promise<void> => {
  const queue = await startQueue(options)
  const { producer, workers } = queue
  children.push(producer, ...workers)
  const read = () => ({
    workers: sumCpuTime(...workers),
    producer: sumCpuTime(producer),
    database: databaseCpu(),
  })
  contenders.push(
    meter.measure(createEndToEnd(`${name}, end to end`, queue), read),
    meter.measure(createBacklog(`${name}, from a backlog`, queue), read),
  )
}

const addBullMq = async (appendfsync: Appendfsync, endpoint: Child): Promise<void> => {
  const redis = await startRedis(appendfsync)
  if (redis === undefined) {
    console.log(`Skipping bullmq with appendfsync ${appendfsync}: redis-server is not on the PATH.`)
    return
  }
  redises.push(redis)
  const options = { kind: 'bullmq', database: redis.url, endpoint } as const
  await addQueue(`bullmq, appendfsync ${appendfsync}`, options, () => readCpuTime(redis.pid))
}

try {
  const endpoint = await startEndpoint()
  children.push(endpoint)
  await addLoops(endpoint)
  for (const kind of ['wabakit', 'pg-boss', 'graphile-worker'] as const)
    if (isSelected(kind)) await addQueue(kind, { kind, database: await cluster.createDatabase(), endpoint })
  if (isSelected('bullmq')) {
    installBullMq()
    await addBullMq('everysec', endpoint)
    await addBullMq('always', endpoint)
  }
  const measurements = await measureRounds(contenders, { rounds: 10, warmUpRounds: 1, count })
  reportDeliveries({
    title: `Durable deliveries on PostgreSQL, ${connections} connections`,
    file: 'server-deliveries-postgres',
    measurements,
    cpu: meter.figures(),
  })
} finally {
  for (const child of children) child.close()
  for (const redis of redises) await redis.remove()
}
if (isSelected('wabakit')) await measureWorkers({ cluster, databaseCpu: postgresCpu })
