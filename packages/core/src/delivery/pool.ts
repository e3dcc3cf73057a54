/** What a {@link createPool} works on. */
export type PoolContext<Job> = {
  /** Most jobs at the same time. */
  readonly concurrency: number
  /** Gives up to `limit` jobs that can be started now; fewer when there are no more. */
  take(limit: number): Promise<readonly Job[]>
  run(job: Job): Promise<void>
  /** Gets what `take` or `run` rejected with while nobody waits in `drain`. */
  onError(error: unknown): void
}

/** Runs jobs side by side as they become available. */
export type Pool = {
  /** Starts what can be started now, and whatever can be started when a job ends. */
  fill(): Promise<void>
  /** Fills, and resolves when nothing runs and nothing is left to take; rejects when a job or `take` failed. */
  drain(): Promise<void>
  /** Takes nothing more (until `open`), and resolves when nothing runs. */
  close(): Promise<void>
  open(): void
  isIdle(): boolean
}

/** Makes a pool. Calls of `take` never overlap: who asks meanwhile is served by one more round. */
export const createPool = <Job>({ concurrency, take, run, onError }: PoolContext<Job>): Pool => {
  const waiting: Array<{ resolve(): void; reject(error: unknown): void }> = []
  let running = 0
  let filling = false
  let again = false
  let isOpen = true

  const fail = (error: unknown): void => {
    if (waiting.length === 0) onError(error)
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  const start = async (job: Job): Promise<void> => {
    running++
    try {
      await run(job)
    } catch (error) {
      fail(error)
    }
    running--
    await fill()
  }

  const isIdle = (): boolean => running === 0 && !filling

  const fill = async (): Promise<void> => {
    again = true
    if (filling) return
    filling = true
    try {
      while (again && isOpen && running < concurrency) {
        again = false
        for (const job of await take(concurrency - running)) void start(job)
      }
    } catch (error) {
      fail(error)
    }
    filling = false
    if (running === 0) for (const { resolve } of waiting.splice(0)) resolve()
  }

  const drain = (): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      void fill()
    })

  return {
    fill,
    drain,
    isIdle,
    close: () => {
      isOpen = false
      return drain()
    },
    open: () => {
      isOpen = true
    },
  }
}
