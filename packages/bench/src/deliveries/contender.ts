import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../commands.ts'
import { readCpuTime } from '../cpu-time.ts'
import type { Contender } from '../rounds.ts'

/** The processes of a queue: a producer that stores events, workers that deliver them, and an endpoint. */
export type Queue = {
  readonly producer: Child
  /** Empty if the producer also delivers. */
  readonly workers: readonly Child[]
  readonly endpoint: Child
}

// Longer than the polling interval of any worker, so that a resumed worker polls immediately.
const maxPollMs = 550

const hold = async ({ producer, workers }: Queue): Promise<void> => {
  if (workers.length === 0) await producer.command('hold')
  for (const worker of workers) worker.pause()
}

const release = async ({ producer, workers }: Queue): Promise<void> => {
  if (workers.length === 0) await producer.command('release')
  for (const worker of workers) worker.resume()
}

/** Stores and delivers concurrently, until all deliveries are settled. */
export const createEndToEnd = (name: string, queue: Queue): Contender => ({
  name,
  run: async (times) => {
    await Promise.all([queue.producer.command('store', times), queue.endpoint.command('arrivals', times)])
    await queue.producer.command('settled')
  },
})

/** Delivers a backlog that was stored before. */
export const createBacklog = (name: string, queue: Queue): Contender => ({
  name,
  prepare: async (times) => {
    await hold(queue)
    await Promise.all([queue.producer.command('fill', times), sleep(maxPollMs)])
  },
  run: async (times) => {
    await release(queue)
    await queue.endpoint.command('arrivals', times)
    await queue.producer.command('settled')
  },
})

/** Only POSTs. */
export const createBareLoop = (loop: Child, endpoint: Child): Contender => ({
  name: 'bare undici POST loop',
  run: async (times) => {
    await loop.command('post', times)
    await endpoint.command('arrivals', times)
  },
})

/** Only writes to a database: a commit per row, and a commit per 64 rows. */
export const createCommitLoops = (loop: Child, database: string): Contender[] => [
  {
    name: `${database}, a commit per row`,
    run: async (times) => void (await loop.command('each', times)),
  },
  {
    name: `${database}, a commit per 64 rows`,
    run: async (times) => void (await loop.command('batched', times)),
  },
]

/** CPU time of several processes, in microseconds. */
export const sumCpuTime = (...children: readonly Child[]): number =>
  children.reduce((sum, { pid }) => sum + readCpuTime(pid), 0)
