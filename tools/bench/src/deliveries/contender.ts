import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../commands.ts'
import { readCpuTime } from '../cpu-time.ts'
import type { Contender } from '../measure.ts'
import type { Queue } from './processes.ts'

/** A time that exceeds the polling interval of pg-boss, so that its resumed worker polls immediately. Others are notified. */
const maxPollMs = 550

const holdOrRelease = async ({ producer, workers }: Queue, action: 'hold' | 'release'): Promise<void> => {
  if (workers.length === 0) await producer.command(action)
  for (const worker of workers) action === 'hold' ? worker.pause() : worker.resume()
}

const sumCpuTime = (children: readonly Child[]): number =>
  children.reduce((sum, { pid }) => sum + readCpuTime(pid), 0)

export const formatNames = (name: string) => ({
  endToEnd: `${name}, end to end`,
  backlog: `${name}, from a backlog`,
})

/**
 * Creates the two contenders of a queue: one stores and delivers events concurrently, and the other delivers a backlog.
 * The CPU time excludes the endpoint and, for a backlog, a separate producer.
 *
 * @param name - `floor` for the queue that the others are compared with.
 * @param readDatabaseCpu - returns the CPU time of a separate database, in microseconds.
 */
export const createQueueContenders = (
  name: string,
  queue: Queue,
  readDatabaseCpu: () => number = () => 0,
): Contender[] => {
  const { producer, workers, endpoint } = queue
  const delivering = workers.length === 0 ? [producer] : workers
  const names = formatNames(name)
  const floors = name === 'floor' ? undefined : formatNames('floor')
  return [
    {
      name: names.endToEnd,
      floor: floors?.endToEnd,
      readCpu: () => sumCpuTime([producer, ...workers]) + readDatabaseCpu(),
      run: async (times) => {
        await Promise.all([producer.command('store', times), endpoint.command('arrivals', times)])
        await producer.command('settled')
      },
    },
    {
      name: names.backlog,
      floor: floors?.backlog,
      readCpu: () => sumCpuTime(delivering) + readDatabaseCpu(),
      prepare: async (times) => {
        await holdOrRelease(queue, 'hold')
        await Promise.all([producer.command('fill', times), sleep(maxPollMs)])
      },
      run: async (times) => {
        await holdOrRelease(queue, 'release')
        await endpoint.command('arrivals', times)
        await producer.command('settled')
      },
    },
  ]
}
