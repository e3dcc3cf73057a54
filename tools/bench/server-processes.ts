import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import type { Child } from './src/commands.ts'
import { findPostmaster, readCpuTime, readFamilyCpuTime } from './src/cpu-time.ts'
import { createQueueContenders } from './src/deliveries/contender.ts'
import { startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { type Contender, measure } from './src/measure.ts'
import { type Figure, formatTime, publish } from './src/result.ts'

const processCounts = [1, 2, 4]
const subscriptions = 64
const deliveries = 4_096
const warmUpRounds = 1

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '400' },
})
const postmaster = await findPostmaster(cluster)
const children: Child[] = []

/** Wraps a contender to measure its CPU time per delivery separately for its processes and for PostgreSQL. */
const divide = (contender: Contender, workers: readonly Child[]) => {
  const read = (): number[] => [
    workers.reduce((sum, { pid }) => sum + readCpuTime(pid), 0),
    readFamilyCpuTime(postmaster),
  ]
  const rounds: number[][] = []
  const run = async (count: number): Promise<void> => {
    const before = read()
    await contender.run(count)
    rounds.push(read().map((cpu, part) => (cpu - (before[part] ?? 0)) / count))
  }
  const average = (part: number): number => {
    const counted = rounds.slice(warmUpRounds).map((round) => round[part] ?? 0)
    return counted.reduce((sum, cpu) => sum + cpu, 0) / counted.length
  }
  const describe = (): Figure => ({
    name: `CPU time of ${contender.name}`,
    figure: `processes ${formatTime(average(0))}, PostgreSQL ${formatTime(average(1))}`,
  })
  return { contender: { ...contender, floor: undefined, run }, describe }
}

try {
  const endpoint = await startEndpoint()
  children.push(endpoint)
  const divided: ReturnType<typeof divide>[] = []
  for (const workers of processCounts) {
    const database = await cluster.createDatabase()
    const queue = await startQueue({ kind: 'wabakit', database, endpoint, workers, subscriptions })
    children.push(queue.producer, ...queue.workers)
    const name = workers === 1 ? '1 worker' : `${workers} workers`
    const contenders = createQueueContenders(name, queue, () => readFamilyCpuTime(postmaster))
    const processes = [[queue.producer, ...queue.workers], queue.workers]
    divided.push(...contenders.map((each, index) => divide(each, processes[index] ?? [])))
  }
  const rows = await measure(
    divided.map(({ contender }) => contender),
    { count: deliveries, rounds: 10, warmUpRounds },
  )
  publish({
    name: 'server-processes',
    title: 'Several processes on one PostgreSQL',
    about: `Workers share the deliveries of ${subscriptions} subscriptions. Each worker makes up to 64 concurrent attempts. Endpoint, producer,
workers and database share the machine, so this shows how additional processes affect the cost of a delivery, not the
throughput on separate machines. CPU time includes PostgreSQL and, except from a backlog of ${deliveries.toLocaleString('en')}, the producer.`,
    unit: 'per second',
    rows,
    figures: divided.map(({ describe }) => describe()),
  })
} finally {
  for (const child of children) child.close()
}
