import type { Child } from '../commands.ts'
import { cpuTime } from '../cpu-time.ts'
import type { Contender } from '../rounds.ts'

/** A queue with its processes: what stores events, what delivers them, and where they arrive. */
export type Queue = {
  readonly producer: Child
  readonly workers: readonly Child[]
  readonly endpoint: Child
}

const delivered = async ({ producer, endpoint }: Queue, times: number): Promise<void> => {
  await endpoint.command('arrivals', times)
  await producer.command('settled')
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
    for (const { pause } of queue.workers) pause()
    await queue.producer.command('store', times)
  },
  run: async (times) => {
    for (const { resume } of queue.workers) resume()
    await delivered(queue, times)
  },
})

export const cpuOf = (children: readonly Child[]): number =>
  children.reduce((sum, { pid }) => sum + cpuTime(pid), 0)
