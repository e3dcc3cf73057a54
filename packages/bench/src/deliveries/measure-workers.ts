import type { PostgresCluster } from '../../../server/test/postgres-cluster.ts'
import type { Child } from '../commands.ts'
import { type Contender, measureRounds } from '../rounds.ts'
import { backlog, cpuOf } from './contender.ts'
import { createCpuMeter } from './cpu-meter.ts'
import { reportDeliveries } from './delivery-report.ts'
import { connections } from './job.ts'
import { startEndpoint, startQueue } from './processes.ts'

/** What {@link measureWorkers} works with. */
export type WorkersContext = {
  readonly cluster: PostgresCluster
  /** CPU time that PostgreSQL has used, in microseconds. */
  databaseCpu(): number
}

const cases = [
  { endpoint: 'answers at once', delayMs: 0, concurrency: connections },
  { endpoint: 'takes 20 ms', delayMs: 20, concurrency: 16 },
]

/**
 * One worker next to two, on the same backlog. Two cores have no room for a second worker that is as busy as the first;
 * against an endpoint that takes its time, it is the number of attempts at the same time that limits a worker.
 */
export const measureWorkers = async ({ cluster, databaseCpu }: WorkersContext): Promise<void> => {
  const meter = createCpuMeter()
  const children: Child[] = []
  const contenders: Contender[] = []
  try {
    for (const { endpoint: manner, delayMs, concurrency } of cases) {
      const endpoint = await startEndpoint(delayMs)
      children.push(endpoint)
      for (const workers of [1, 2]) {
        const database = await cluster.createDatabase()
        const queue = await startQueue({ kind: 'wabakit', database, endpoint, workers, concurrency })
        children.push(queue.producer, ...queue.workers)
        const name = `${workers === 1 ? 'one worker' : 'two workers'}, endpoint ${manner}`
        contenders.push(
          meter.measure(backlog(name, queue), () => ({
            workers: cpuOf(...queue.workers),
            database: databaseCpu(),
          })),
        )
      }
    }
    const measurements = await measureRounds(contenders, { rounds: 10, warmUpRounds: 1, count: 512 })
    cases.forEach(({ endpoint, delayMs, concurrency }, index) => {
      reportDeliveries({
        title: `Backlog on PostgreSQL, ${concurrency} attempts at a time by worker, endpoint ${endpoint}`,
        file: `server-deliveries-postgres-workers-${delayMs}ms`,
        measurements: measurements.slice(2 * index, 2 * index + 2),
        cpu: meter.figures(),
      })
    })
  } finally {
    for (const child of children) child.close()
  }
}
