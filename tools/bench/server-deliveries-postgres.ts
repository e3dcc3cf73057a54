import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import type { Child } from './src/commands.ts'
import { findPostmaster, readCpuTime, readFamilyCpuTime } from './src/cpu-time.ts'
import { createQueueContenders, formatNames } from './src/deliveries/contender.ts'
import { type QueueOptions, startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { type Contender, findRow, measure } from './src/measure.ts'
import { type Redis, startRedis } from './src/redis.ts'
import { type Goal, publish } from './src/result.ts'

// `--peers` adds bullmq, which requires `redis-server`, and installs it if necessary.
await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '400' },
})

const postmaster = await findPostmaster(cluster)
const readPostgresCpu = (): number => readFamilyCpuTime(postmaster)
const children: Child[] = []
const redises: Redis[] = []
const contenders: Contender[] = []
const peers: string[] = ['pg-boss', 'graphile-worker']

const addQueue = async (name: string, options: QueueOptions, readCpu = readPostgresCpu): Promise<void> => {
  const queue = await startQueue(options)
  children.push(queue.producer, ...queue.workers)
  contenders.push(...createQueueContenders(name, queue, readCpu))
}

const addBullMq = async (endpoint: Child): Promise<void> => {
  for (const appendfsync of ['everysec', 'always'] as const) {
    const redis = await startRedis(appendfsync)
    if (redis === undefined) return console.log('Skipping bullmq: redis-server is not on the PATH.')
    redises.push(redis)
    const name = `bullmq, appendfsync ${appendfsync}`
    // A queue that may lose its latest writes does less work, so it does not count as a peer.
    if (appendfsync === 'always') peers.push(name)
    await addQueue(name, { kind: 'bullmq', database: redis.url, endpoint }, () => readCpuTime(redis.pid))
  }
}

try {
  const endpoint = await startEndpoint()
  children.push(endpoint)
  await addQueue('floor', { kind: 'floor', database: await cluster.createDatabase(), endpoint, workers: 0 })
  for (const kind of ['wabakit', 'pg-boss', 'graphile-worker'] as const)
    await addQueue(kind, { kind, database: await cluster.createDatabase(), endpoint })
  if (process.argv.includes('--peers')) await addBullMq(endpoint)
  const rounds = { rounds: 10, warmUpRounds: 1 }
  const backlogs = contenders.filter(({ prepare }) => prepare !== undefined)
  const others = contenders.filter(({ prepare }) => prepare === undefined)
  const rows = [
    ...(await measure(others, { ...rounds, count: 2_048 })),
    // Backlogs have more deliveries, because a resumed process first spends an extra 100 ms of CPU time.
    ...(await measure(backlogs, { ...rounds, count: 8_192 })),
  ]
  const own = formatNames('wabakit')
  const compare = (kind: keyof typeof own): number =>
    Math.min(...peers.map((peer) => findRow(rows, formatNames(peer)[kind]).time)) /
    findRow(rows, own[kind]).time
  const goals: Goal[] = [
    {
      id: 'P5',
      what: 'PostgreSQL, end to end, relative to the fastest peer',
      result: compare('endToEnd'),
      limit: { atLeast: 4 },
    },
    {
      id: 'P5',
      what: 'PostgreSQL, from a backlog, relative to the fastest peer',
      result: compare('backlog'),
      limit: { atLeast: 1.25 },
    },
    {
      id: 'P5',
      what: 'PostgreSQL, CPU time from a backlog, relative to the peer with the least',
      result:
        (findRow(rows, own.backlog).cpu ?? NaN) /
        Math.min(...peers.map((peer) => findRow(rows, formatNames(peer).backlog).cpu ?? NaN)),
      limit: { atMost: 1 },
    },
  ]
  publish({
    name: 'server-deliveries-postgres',
    title: 'Durable deliveries on PostgreSQL, and queues',
    about: `Each contender stores an event in a transaction, signs it, sends it with undici over 64 connections, and stores the
result. Endpoint, producer, worker and database share the machine. fsync is on. Each queue is configured for throughput as
its documentation recommends. The floor does the same as on SQLite. CPU time includes the database and, except from a
backlog, the producer. A backlog has 8,192 deliveries. Add \`--peers\` for bullmq.`,
    unit: 'per second',
    rows,
    goals,
  })
} finally {
  for (const child of children) child.close()
  for (const redis of redises) await redis.remove()
}
