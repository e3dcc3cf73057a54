/** What a {@link createPool} works on. */
export type PoolContext<Job> = {
  /** Most jobs at work at the same time. */
  readonly concurrency: number
  /** Gives up to `limit` jobs that can be done now; fewer when there are no more. */
  take(limit: number): Promise<readonly Job[]>
  /** Does a job; calls `makeRoom` when the rest of it, such as writing its result, needs no place any more. */
  run(job: Job, makeRoom: () => void): Promise<void>
  /** Gives back a job that was taken and not begun, since the pool closes. */
  giveBack(job: Job): Promise<void>
  /** Gets what these rejected with while nobody waits in `drain`. */
  onError(error: unknown): void
}

/** Runs jobs side by side as they become available. */
export type Pool = {
  /** Starts what can be started now, and whatever can be started when a job ends. */
  fill(): Promise<void>
  /** Fills, and resolves when nothing runs and nothing is left to take; rejects when a job or `take` failed. */
  drain(): Promise<void>
  /** Takes and begins nothing more (until `open`), and resolves when nothing runs. */
  close(): Promise<void>
  open(): void
  isIdle(): boolean
}

/**
 * Jobs that are held for each place: one at work in it, and one that waits for it or whose result is being written. So
 * places do not stand empty while more is taken.
 */
const heldPerPlace = 2

/** A take costs much the same for one job as for many: it waits for room for so many per place, or for so long. */
const gathering = { perPlace: 1 / 2, ms: 5 }

/** Makes a pool. Calls of `take` never overlap: who asks meanwhile is served by one more round. */
export const createPool = <Job>({ concurrency, take, run, giveBack, onError }: PoolContext<Job>): Pool => {
  const most = concurrency * heldPerPlace
  const worthTaking = Math.ceil(concurrency * gathering.perPlace)
  const waiting: Array<{ resolve(): void; reject(error: unknown): void }> = []
  let ready: Job[] = []
  let held = 0
  let working = 0
  let isFilling = false
  let again = false
  let isGathering = false
  let isOpen = true

  const fail = (error: unknown): void => {
    if (waiting.length === 0) onError(error)
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  /** Sees a job to its end. */
  const end = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      fail(error)
    }
    held--
    await fill()
  }

  const start = async (job: Job): Promise<void> => {
    working++
    let hasPlace = true
    const makeRoom = (): void => {
      if (!hasPlace) return
      hasPlace = false
      working--
      startReady()
    }
    try {
      await run(job, makeRoom)
    } finally {
      makeRoom()
    }
  }

  const startReady = (): void => {
    while (isOpen && working < concurrency) {
      const job = ready.shift()
      if (job === undefined) return
      void end(start(job))
    }
  }

  /** Whether to wait for more room; if so, somebody fills when it is there, or when the time is over. */
  const gathers = (): boolean => {
    if (held === 0 || most - held >= worthTaking) return false
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
      while (again && isOpen && held < most) {
        again = false
        const jobs = await take(most - held)
        held += jobs.length
        ready.push(...jobs)
        if (isOpen) startReady()
        else giveAllBack()
        if (again && gathers()) break
      }
    } catch (error) {
      fail(error)
    }
    isFilling = false
    if (held === 0) for (const { resolve } of waiting.splice(0)) resolve()
  }

  const fill = async (): Promise<void> => {
    if (!gathers()) await fillNow()
  }

  const drain = (): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      void fill()
    })

  const giveAllBack = (): void => {
    for (const job of ready) void end(giveBack(job))
    ready = []
  }

  return {
    fill,
    drain,
    isIdle: () => held === 0 && !isFilling,
    close: () => {
      isOpen = false
      giveAllBack()
      return drain()
    },
    open: () => {
      isOpen = true
    },
  }
}
