import { setTimeout as sleep } from 'node:timers/promises'
import { payload } from './call-ai-summary.ts'

/** How often a paced task begins per second. */
export const pace = 500

/** Runs a task `times` times, at a steady pace, whether or not earlier ones have ended. */
export const runPaced = async (times: number, task: (nth: number) => Promise<unknown>): Promise<void> => {
  const start = performance.now()
  const running: Promise<unknown>[] = []
  for (let nth = 0; nth < times; nth += 1) {
    const pause = start + (nth * 1_000) / pace - performance.now()
    if (pause > 1) await sleep(pause)
    running.push(task(nth))
  }
  await Promise.all(running)
}

/** Returns the body of a webhook that tells when it was created. The endpoint measures how long it took. */
export const stampPayload = (): string => `{"at":${Date.now()},${payload.slice(1)}`
