import { type Child, startChild } from '../commands.ts'
import type { ProcessSettings } from './settings.ts'

const files = {
  floor: import.meta.resolve('./floor-process.ts'),
  wabakit: import.meta.resolve('./wabakit-process.ts'),
  'pg-boss': import.meta.resolve('./pg-boss-process.ts'),
  'graphile-worker': import.meta.resolve('./graphile-worker-process.ts'),
  bullmq: import.meta.resolve('./bullmq-process.ts'),
}

export const startEndpoint = (): Promise<Child> => startChild(import.meta.resolve('../endpoint-process.ts'))

export type QueueOptions = {
  readonly kind: keyof typeof files
  readonly database: string
  readonly endpoint: Child
  /** Number of workers. With 0, the producer also delivers. @default 1 */
  readonly workers?: number
  /** Number of subscriptions that receive the events in rotation, if the queue has subscriptions. @default 1 */
  readonly subscriptions?: number
}

export type Queue = Awaited<ReturnType<typeof startQueue>>

/** Starts a producer, which stores events, and workers, which deliver them. */
export const startQueue = async (options: QueueOptions) => {
  const { kind, database, endpoint, workers = 1, subscriptions = 1 } = options
  const start = (role: ProcessSettings['role']): Promise<Child> => {
    const settings: ProcessSettings = { database, role, endpoint: endpoint.readyMessage, subscriptions }
    return startChild(files[kind], JSON.stringify(settings))
  }
  const producer = await start(workers === 0 ? 'all' : 'api')
  return {
    producer,
    workers: await Promise.all(Array.from({ length: workers }, () => start('worker'))),
    endpoint,
  }
}
