import { type Child, startChild } from '../commands.ts'
import type { Queue } from './contender.ts'
import { connections, type ProcessSettings } from './job.ts'

/** The queues that are measured, by the file of their process. */
const files = {
  wabakit: import.meta.resolve('./wabakit-process.ts'),
  'pg-boss': import.meta.resolve('./pg-boss-process.ts'),
  'graphile-worker': import.meta.resolve('./graphile-worker-process.ts'),
  bullmq: import.meta.resolve('./bullmq-process.ts'),
}

/** Starts an endpoint that takes so many milliseconds to answer. */
export const startEndpoint = (delayMs = 0): Promise<Child> =>
  startChild({ file: import.meta.resolve('../endpoint-process.ts'), arguments: [`${delayMs}`] })

/** Starts a process that POSTs to an endpoint and does nothing else. */
export const startBareLoop = (endpoint: Child): Promise<Child> =>
  startChild({
    file: import.meta.resolve('./bare-loop-process.ts'),
    arguments: [endpoint.greeting, `${connections}`],
  })

/** Starts a process that writes to a database, by its URL or path, and does nothing else. */
export const startCommitLoop = (database: string): Promise<Child> => {
  const file = database.startsWith('postgres')
    ? import.meta.resolve('./postgres-commits-process.ts')
    : import.meta.resolve('./sqlite-commits-process.ts')
  return startChild({ file, arguments: [database] })
}

/** Options of {@link startQueue}. */
export type QueueOptions = {
  readonly kind: keyof typeof files
  readonly database: string
  readonly endpoint: Child
  /**
   * Processes that deliver; with 0 the one that stores events does.
   * @default 1
   */
  readonly workers?: number
  /**
   * Most webhooks that a worker has on their way.
   * @default connections
   */
  readonly concurrency?: number
}

/** Starts a queue: a process that stores events, and its workers. */
export const startQueue = async (options: QueueOptions): Promise<Queue> => {
  const { kind, database, endpoint, workers = 1, concurrency = connections } = options
  const start = (role: ProcessSettings['role']): Promise<Child> => {
    const settings: ProcessSettings = { database, role, endpoint: endpoint.greeting, concurrency }
    return startChild({ file: files[kind], arguments: [JSON.stringify(settings)] })
  }
  const producer = await start(workers === 0 ? 'all' : 'api')
  return {
    producer,
    workers: await Promise.all(Array.from({ length: workers }, () => start('worker'))),
    endpoint,
  }
}
