import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../commands.ts'
import { readCpuTime } from '../cpu-time.ts'
import type { Contender } from '../measure.ts'

/** The processes of a queue: a producer that stores events, workers that deliver them, and an endpoint. */
export type Queue = {
  readonly producer: Child
  /** Empty if the producer also delivers. */
  readonly workers: readonly Child[]
  readonly endpoint: Child
}

/** Returns a database's CPU time, in microseconds. */
type ReadCpu = () => number

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

const sumCpuTime = (children: readonly Child[]): number =>
  children.reduce((sum, { pid }) => sum + readCpuTime(pid), 0)

/** Returns the names of a queue's two contenders. */
export const formatNames = (name: string) => ({
  endToEnd: `${name}, end to end`,
  backlog: `${name}, from a backlog`,
})

/**
 * Creates the contenders of a queue: one stores and delivers events concurrently, the other delivers a backlog. The CPU
 * time excludes the endpoint and, for a backlog, a separate producer.
 */
export const createQueueContenders = (
  name: string,
  queue: Queue,
  readDatabaseCpu: ReadCpu = () => 0,
): Contender[] => {
  const { producer, workers, endpoint } = queue
  const delivering = workers.length === 0 ? [producer] : workers
  const names = formatNames(name)
  const floors = formatNames('floor')
  return [
    {
      name: names.endToEnd,
      floor: floors.endToEnd,
      readCpu: () => sumCpuTime([producer, ...workers]) + readDatabaseCpu(),
      run: async (times) => {
        await Promise.all([producer.command('store', times), endpoint.command('arrivals', times)])
        await producer.command('settled')
      },
    },
    {
      name: names.backlog,
      floor: floors.backlog,
      readCpu: () => sumCpuTime(delivering) + readDatabaseCpu(),
      prepare: async (times) => {
        await hold(queue)
        await Promise.all([producer.command('fill', times), sleep(maxPollMs)])
      },
      run: async (times) => {
        await release(queue)
        await endpoint.command('arrivals', times)
        await producer.command('settled')
      },
    },
  ]
}

/** Creates the same contenders for the floor. */
export const createFloorContenders = (
  floor: Child,
  endpoint: Child,
  readDatabaseCpu: ReadCpu = () => 0,
): Contender[] => {
  const readCpu = () => readCpuTime(floor.pid) + readDatabaseCpu()
  const run = (command: string) => async (times: number) => {
    await floor.command(command, times)
    await endpoint.command('arrivals', times)
  }
  const names = formatNames('floor')
  return [
    { name: names.endToEnd, readCpu, run: run('store') },
    {
      name: names.backlog,
      readCpu,
      prepare: async (times) => void (await floor.command('fill', times)),
      run: run('deliver'),
    },
  ]
}
