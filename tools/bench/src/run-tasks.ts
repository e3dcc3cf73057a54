import { setTimeout as sleep } from 'node:timers/promises'

/** Runs a task `times` times, with a constant concurrency. */
export const runConcurrently = async (
  { times, concurrency }: { readonly times: number; readonly concurrency: number },
  task: () => Promise<unknown>,
): Promise<void> => {
  let left = times
  const run = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await task()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, run))
}

/** Maximum number of concurrent paced tasks. It is reached if the tasks take longer than the pace allows. */
const maximum = 256

/** Returns the Unix time in milliseconds, including fractions. */
export const readTime = (): number => performance.timeOrigin + performance.now()

/** Runs a task `times` times at a steady pace. `at` is the intended start of a task, as Unix time in milliseconds. */
export const runPaced = async (
  { times, perSecond }: { readonly times: number; readonly perSecond: number },
  task: (at: number, nth: number) => Promise<unknown>,
): Promise<void> => {
  const start = readTime()
  const running = new Set<Promise<unknown>>()
  for (let nth = 0; nth < times; nth += 1) {
    const at = start + (nth * 1_000) / perSecond
    const left = at - readTime()
    if (left > 1) await sleep(left)
    while (running.size >= maximum) await Promise.race(running)
    const own = task(at, nth).finally(() => running.delete(own))
    running.add(own)
  }
  await Promise.all(running)
}
