/** What a {@link createPool} works on. */
export type PoolContext<Job> = {
  /** Most jobs at the same time that have not made room. */
  readonly concurrency: number
  /** Gives up to `limit` jobs that can be started now; fewer when there are no more. */
  take(limit: number): Promise<readonly Job[]>
  /** Does a job; calls `makeRoom` when the rest of it, such as writing its result, needs no place any more. */
  run(job: Job, makeRoom: () => void): Promise<void>
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

/** Jobs that made room may be as many as those that did not: when results are written slowly, no more is taken. */
const mostPerPlace = 2

/** A take costs the store much the same for one job as for many: it waits for this share of the places, or so long. */
const gathering = { share: 1 / 8, ms: 5 }

/** Makes a pool. Calls of `take` never overlap: who asks meanwhile is served by one more round. */
export const createPool = <Job>({ concurrency, take, run, onError }: PoolContext<Job>): Pool => {
  const waiting: Array<{ resolve(): void; reject(error: unknown): void }> = []
  const gathered = Math.ceil(concurrency * gathering.share)
  let running = 0
  let working = 0
  let isFilling = false
  let again = false
  let isMoreLeft = false
  let isGathering = false
  let isOpen = true

  const fail = (error: unknown): void => {
    if (waiting.length === 0) onError(error)
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  const start = async (job: Job): Promise<void> => {
    running++
    working++
    let hasPlace = true
    const makeRoom = (): void => {
      if (!hasPlace) return
      hasPlace = false
      working--
      if (isMoreLeft) void fill()
    }
    try {
      await run(job, makeRoom)
    } catch (error) {
      fail(error)
    }
    makeRoom()
    running--
    await fill()
  }

  const room = (): number => Math.min(concurrency - working, mostPerPlace * concurrency - running)

  /** Whether to wait for more room; if so, somebody fills when it is there, or when the time is over. */
  const gathers = (): boolean => {
    if (working === 0 || room() >= gathered) return false
    if (!isGathering) {
      isGathering = true
      setTimeout(() => {
        isGathering = false
        void fillNow()
      }, gathering.ms)
    }
    return true
  }

  const fillNow = async (): Promise<void> => {
    again = true
    if (isFilling) return
    isFilling = true
    // Jobs that end together ask together.
    await undefined
    try {
      while (again && isOpen && room() > 0) {
        again = false
        const limit = room()
        const jobs = await take(limit)
        isMoreLeft = jobs.length === limit
        for (const job of jobs) void start(job)
        if (again && gathers()) break
      }
    } catch (error) {
      fail(error)
    }
    isFilling = false
    if (running === 0) for (const { resolve } of waiting.splice(0)) resolve()
  }

  const fill = async (): Promise<void> => {
    if (!gathers()) await fillNow()
  }

  const drain = (): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      void fill()
    })

  return {
    fill,
    drain,
    isIdle: () => running === 0 && !isFilling,
    close: () => {
      isOpen = false
      return drain()
    },
    open: () => {
      isOpen = true
    },
  }
}
