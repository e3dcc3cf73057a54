import type { PostgresCluster } from '../../../server/test/postgres-cluster.ts'
import type { Child } from '../commands.ts'
import { type Contender, measureRounds } from '../rounds.ts'
import { createBacklog, sumCpuTime } from './contender.ts'
import { createCpuMeter } from './cpu-meter.ts'
import { reportDeliveries } from './delivery-report.ts'
import { connections } from './job.ts'
import { startEndpoint, startQueue } from './processes.ts'

/** Options for {@link measureWorkers}. */
export type WorkerOptions = {
  readonly cluster: PostgresCluster
  /** CPU time that PostgreSQL has used, in microseconds. */
  databaseCpu(): number
}

const cases = [
  { endpoint: 'responds immediately', delayMs: 0, concurrency: connections },
  { endpoint: 'takes 20 ms', delayMs: 20, concurrency: 16 },
]

/**
 * Compares one worker with two on the same backlog. With a fast endpoint, two cores have no capacity for a second worker.
 * With a slow endpoint, the number of concurrent attempts limits a worker.
 */
export const measureWorkers = async ({ cluster, databaseCpu }: WorkerOptions): Promise<void> => {
  const meter = createCpuMeter()
  const children: Child[] = []
  const contenders: Contender[] = []
  try {
    for (const { endpoint: behavior, delayMs, concurrency } of cases) {
      const endpoint = await startEndpoint(delayMs)
      children.push(endpoint)
      for (const workers of [1, 2]) {
        const database = await cluster.createDatabase()
        const queue = await startQueue({ kind: 'wabakit', database, endpoint, workers, concurrency })
        children.push(queue.producer, ...queue.workers)
        const name = `${workers === 1 ? 'one worker' : 'two workers'}, endpoint ${behavior}`
        contenders.push(
          meter.measure(createBacklog(name, queue), () => ({
            workers: sumCpuTime(...queue.workers),
            database: databaseCpu(),
          })),
        )
      }
    }
    const measurements = await measureRounds(contenders, { rounds: 10, warmUpRounds: 1, count: 512 })
    cases.forEach(({ endpoint, delayMs, concurrency }, index) => {
      reportDeliveries({
        title: `Backlog on PostgreSQL, ${concurrency} concurrent attempts per worker, endpoint ${endpoint}`,
        file: `server-deliveries-postgres-workers-${delayMs}ms`,
        measurements: measurements.slice(2 * index, 2 * index + 2),
        cpu: meter.figures(),
      })
    })
  } finally {
    for (const child of children) child.close()
  }
}
