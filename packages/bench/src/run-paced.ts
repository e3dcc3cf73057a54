import { setTimeout as sleep } from 'node:timers/promises'
import { payload } from './call-ai-summary.ts'

/** Number of paced tasks started per second. */
export const pace = 500

/** Maximum number of concurrent tasks, which is reached if they take longer than the pace allows. */
const maximum = 256

/** A task. `at` is its intended start, as Unix time in milliseconds. */
type PacedTask = (at: number, nth: number) => Promise<unknown>

/** Runs a task `times` times at a steady pace. */
export const runPaced = async (times: number, task: PacedTask): Promise<void> => {
  const start = Date.now()
  const running = new Set<Promise<unknown>>()
  for (let nth = 0; nth < times; nth += 1) {
    const at = start + (nth * 1_000) / pace
    if (at - Date.now() > 1) await sleep(at - Date.now())
    while (running.size >= maximum) await Promise.race(running)
    const own = task(at, nth).finally(() => running.delete(own))
    running.add(own)
  }
  await Promise.all(running)
}

/**
 * Returns a webhook body stamped with its intended send time. The endpoint measures how long after that time the
 * webhook arrives.
 */
export const stampPayload = (at: number): string => `{"at":${at},${payload.slice(1)}`
