import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../commands.ts'
import { cpuTime } from '../cpu-time.ts'
import type { Contender } from '../rounds.ts'

/** A queue with its processes: what stores events, what delivers them, and where they arrive. */
export type Queue = {
  readonly producer: Child
  /** None where the producer does all. */
  readonly workers: readonly Child[]
  readonly endpoint: Child
}

/** Longer than a worker that nobody wakes pauses between its looks for work, so that it looks at once when it goes on. */
const longestPollMs = 550

const hold = async ({ producer, workers }: Queue): Promise<void> => {
  if (workers.length === 0) await producer.command('hold')
  for (const worker of workers) worker.pause()
}

const release = async ({ producer, workers }: Queue): Promise<void> => {
  if (workers.length === 0) await producer.command('release')
  for (const worker of workers) worker.resume()
}

/** Stores and delivers at the same time, until everything is settled. */
export const endToEnd = (name: string, queue: Queue): Contender => ({
  name,
  run: async (times) => {
    await Promise.all([queue.producer.command('store', times), queue.endpoint.command('arrivals', times)])
    await queue.producer.command('settled')
  },
})

/** Delivers what was stored before, with nothing new coming. */
export const backlog = (name: string, queue: Queue): Contender => ({
  name,
  prepare: async (times) => {
    await hold(queue)
    await Promise.all([queue.producer.command('fill', times), sleep(longestPollMs)])
  },
  run: async (times) => {
    await release(queue)
    await queue.endpoint.command('arrivals', times)
    await queue.producer.command('settled')
  },
})

/** POSTs and nothing else. */
export const bareLoop = (loop: Child, endpoint: Child): Contender => ({
  name: 'bare undici POST loop',
  run: async (times) => {
    await loop.command('post', times)
    await endpoint.command('arrivals', times)
  },
})

/** Writes to a database and nothing else: a commit for each row, and one for 64. */
export const commitLoops = (loop: Child, database: string): Contender[] => [
  {
    name: `${database}, a commit for each row`,
    run: async (times) => void (await loop.command('each', times)),
  },
  {
    name: `${database}, a commit for 64 rows`,
    run: async (times) => void (await loop.command('batched', times)),
  },
]

/** CPU time that processes have used, in microseconds. */
export const cpuOf = (...children: readonly Child[]): number =>
  children.reduce((sum, { pid }) => sum + cpuTime(pid), 0)
