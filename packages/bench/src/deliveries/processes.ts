import { type Child, startChild } from '../commands.ts'
import type { Queue } from './contender.ts'
import type { ProcessSettings } from './job.ts'

// Each queue's script.
const files = {
  wabakit: import.meta.resolve('./wabakit-process.ts'),
  'pg-boss': import.meta.resolve('./pg-boss-process.ts'),
  'graphile-worker': import.meta.resolve('./graphile-worker-process.ts'),
  bullmq: import.meta.resolve('./bullmq-process.ts'),
}

export const startEndpoint = (delayMs = 0): Promise<Child> =>
  startChild({ file: import.meta.resolve('../endpoint-process.ts'), arguments: [`${delayMs}`] })

/** Starts a process that does only the minimum work of durable deliveries. */
export const startFloor = (database: string, endpoint: Child): Promise<Child> => {
  const settings = { database, endpoint: endpoint.readyMessage, role: 'all' }
  return startChild({
    file: import.meta.resolve('./floor-process.ts'),
    arguments: [JSON.stringify(settings)],
  })
}

export type QueueOptions = {
  readonly kind: keyof typeof files
  readonly database: string
  readonly endpoint: Child
  /**
   * Number of workers. With 0, the producer also delivers.
   * @default 1
   */
  readonly workers?: number
  /**
   * Number of subscriptions that take turns, if the queue has any.
   * @default 1
   */
  readonly subscriptions?: number
}

export const startQueue = async (options: QueueOptions): Promise<Queue> => {
  const { kind, database, endpoint, workers = 1, subscriptions = 1 } = options
  const start = (role: ProcessSettings['role']): Promise<Child> => {
    const settings: ProcessSettings = {
      database,
      role,
      endpoint: endpoint.readyMessage,
      subscriptions,
    }
    return startChild({ file: files[kind], arguments: [JSON.stringify(settings)] })
  }
  const producer = await start(workers === 0 ? 'all' : 'api')
  return {
    producer,
    workers: await Promise.all(Array.from({ length: workers }, () => start('worker'))),
    endpoint,
  }
}
