import type { Pace, SuspectShare } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import { createClaimLoop } from './claim-loop.ts'
import { createPacer, type Pacer } from './pacer.ts'
import { createSlowSlots } from './slow-slots.ts'

/** What a pool needs to know about a job. */
export type PoolJob = {
  readonly organizationId: string
  /** A job that is not `quick` is suspect, and takes a slow slot from the start. */
  readonly pace: Pace
}

/** Number of jobs that can be claimed now: quick ones, and suspect ones in addition. */
export type Capacity = { readonly limit: number; readonly suspects: SuspectShare }

/** The slot of a running job. */
export type JobSlot = {
  /** Frees the slot. The rest of the job, such as writing its result, needs none. */
  free(): void
  /** Moves the job to a slow slot. */
  moveToSlow(): void
}

export type PoolContext<Job extends PoolJob> = {
  /** Maximum number of concurrent jobs that are neither suspect nor slow. */
  readonly concurrency: number
  readonly clock: Clock
  /** Claims jobs that can run now. Returns fewer than the capacity only if there are no more. */
  claim(capacity: Capacity): Promise<readonly Job[]>
  /** Resolves with whether the next job from there is quick. */
  run(job: Job, slot: JobSlot): Promise<boolean>
  /** Releases a claimed job that has not started, because the pool closes. */
  release(job: Job): Promise<void>
  /** Receives the errors of these functions while nobody waits for `drain`. */
  onError(error: unknown): void
}

/** Runs jobs concurrently as they become available. */
export type Pool = {
  /** Starts all jobs that can start now. When a job ends, the next ones start. */
  fill(): Promise<void>
  /** Fills, and resolves when nothing runs and no jobs are left. Rejects if a job or a claim failed. */
  drain(): Promise<void>
  /** Claims and starts no more jobs (until `open`), and resolves when nothing runs. Failures are reported to `onError`. */
  close(): Promise<void>
  open(): void
  isIdle(): boolean
  /** Returns whether another quick job could be claimed now. */
  canClaim(): boolean
}

/** For each slot, one job runs, and another one is ready or its result is being written: slots are not left empty. */
const jobsPerSlot = 2

/** A slow job does little but wait, so there can be many. */
const slowSlotsPerSlot = 16

/** A claim costs nearly the same for one job as for many, so it waits for capacity for some, or for a few milliseconds. */
const batching = { jobsPerSlot: 1 / 2, maxWaitMs: 5 }

/**
 * Suspect jobs are claimed together and start one after the other, so that a burst does not delay the quick ones: 400 per
 * second that are new or slow, and 50 that are failing, which are in no hurry.
 */
const suspectPacing = { burst: 16, pauseMs: 2.5 }
const failingPacing = { burst: 8, pauseMs: 20 }

/** Pause after a claim of suspect jobs while there are quick ones, in milliseconds. A burst has started by then. */
const suspectRestMs = 40

const noSuspects: SuspectShare = { limit: 0, failing: 0, except: [] }

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Creates a pool. Quick jobs and suspect ones have claims of their own, so that no quick job waits for suspect ones. */
export const createPool = <Job extends PoolJob>(context: PoolContext<Job>): Pool => {
  const { concurrency, clock, claim, run, release, onError } = context
  const maxHeld = concurrency * jobsPerSlot
  const minBatch = Math.ceil(concurrency * batching.jobsPerSlot)
  const slowSlots = createSlowSlots(concurrency * slowSlotsPerSlot)
  const drains: Array<{ resolve(): void; reject(error: unknown): void }> = []
  /** Those who wait for `close`, which failures do not end. */
  const closings: Array<() => void> = []
  let ready: Job[] = []
  /** Number of jobs that are ready, running without being slow, or writing their result. */
  let held = 0
  let running = 0
  let isBatching = false
  let isResting = false
  /** Whether there were quick jobs in the last rest, and in this one. */
  let hadQuick = false
  let hasQuick = false
  let isOpen = true

  const fail = (error: unknown): void => {
    if (drains.length === 0) onError(error)
    for (const { reject } of drains.splice(0)) reject(error)
  }

  const releaseJob = (job: Job): Promise<boolean> => release(job).then(() => false)

  /** Waits for the end of a job, and claims what it may have made available: jobs from there, or for its slot. */
  const finish = async ({ pace }: Job, work: Promise<boolean>, onFinished: () => void): Promise<void> => {
    const isQuick = await work.catch((error: unknown) => {
      fail(error)
      return false
    })
    onFinished()
    const wasQuick = pace === 'quick'
    if (!wasQuick || !isQuick) void suspectClaims.request()
    if (wasQuick || isQuick) await quickClaims.request()
  }

  const startSuspect = (job: Job, delayMs: number): void => {
    slowSlots.take(job.organizationId)
    const begin = (): Promise<boolean> =>
      isOpen ? run(job, { free: () => {}, moveToSlow: () => {} }) : releaseJob(job)
    const work = delayMs === 0 ? begin() : sleep(delayMs).then(begin)
    void finish(job, work, () => slowSlots.release(job.organizationId))
  }

  const start = (job: Job): void => {
    const { organizationId } = job
    running++
    let hasSlot = true
    let isSlow = false
    const free = (): void => {
      if (!hasSlot) return
      hasSlot = false
      running--
      startReady()
    }
    const moveToSlow = (): void => {
      isSlow = true
      held--
      slowSlots.take(organizationId)
      free()
      void fill()
    }
    void finish(job, run(job, { free, moveToSlow }).finally(free), () => {
      if (isSlow) slowSlots.release(organizationId)
      else held--
    })
  }

  const startReady = (): void => {
    while (isOpen && running < concurrency) {
      const job = ready.shift()
      if (job === undefined) return
      start(job)
    }
  }

  const startSuspects = (jobs: readonly Job[], pauseMs: number, pacer: Pacer): void => {
    // A drain sends everything at once.
    const isPaced = drains.length === 0
    for (const [index, job] of jobs.entries()) startSuspect(job, isPaced ? index * pauseMs : 0)
    if (isPaced) pacer.count(jobs.length)
  }

  const accept = (jobs: readonly Job[]): void => {
    const have = (...paces: Pace[]): Job[] => jobs.filter(({ pace }) => paces.includes(pace))
    const quick = isOpen ? have('quick') : jobs
    held += quick.length
    ready.push(...quick)
    if (!isOpen) {
      releaseReady()
      return
    }
    hasQuick ||= quick.length > 0
    startReady()
    startSuspects(have('new', 'slow'), suspectPacing.pauseMs, suspectPacer)
    startSuspects(have('failing'), failingPacing.pauseMs, failingPacer)
  }

  const onAllowed = (): void => void suspectClaims.request()
  const suspectPacer = createPacer({ ...suspectPacing, clock, onAllowed })
  const failingPacer = createPacer({ ...failingPacing, clock, onAllowed })

  const getSuspectShare = (): SuspectShare => {
    const free = slowSlots.countFree()
    const limit = (pacer: Pacer): number => (drains.length > 0 ? free : Math.min(pacer.countAllowed(), free))
    return { limit: limit(suspectPacer), failing: limit(failingPacer), except: slowSlots.listFull() }
  }

  const isIdle = (): boolean =>
    held === 0 && slowSlots.isEmpty() && !quickClaims.isRunning() && !suspectClaims.isRunning()

  const onEnd = (): void => {
    if (!isIdle()) return
    for (const { resolve } of drains.splice(0)) resolve()
    for (const resolve of closings.splice(0)) resolve()
  }

  const quickClaims = createClaimLoop({
    onError: fail,
    onEnd,
    claim: async () => {
      const limit = Math.max(0, maxHeld - held)
      if (!isOpen || limit === 0) return false
      accept(await claim({ limit, suspects: noSuspects }))
      return true
    },
    // For more capacity.
    waits: () => {
      if (held === 0 || maxHeld - held >= minBatch) return false
      if (!isBatching) {
        isBatching = true
        setTimeout(() => {
          isBatching = false
          void quickClaims.run()
        }, batching.maxWaitMs)
      }
      return true
    },
  })

  const suspectClaims = createClaimLoop({
    onError: fail,
    onEnd,
    claim: async () => {
      const suspects = getSuspectShare()
      if (!isOpen || suspects.limit + suspects.failing === 0) return false
      accept(await claim({ limit: 0, suspects }))
      if (drains.length > 0 || isResting) return true
      isResting = true
      setTimeout(() => {
        isResting = false
        hadQuick = hasQuick
        hasQuick = held > 0
        void suspectClaims.run()
      }, suspectRestMs)
      return true
    },
    waits: () => isResting && (hadQuick || hasQuick) && isOpen && drains.length === 0,
  })

  const fill = async (): Promise<void> => {
    await Promise.all([quickClaims.request(), suspectClaims.request()])
  }

  const drain = (): Promise<void> =>
    new Promise((resolve, reject) => {
      drains.push({ resolve, reject })
      void fill()
    })

  const releaseReady = (): void => {
    for (const job of ready) {
      void finish(job, releaseJob(job), () => {
        held--
      })
    }
    ready = []
  }

  return {
    fill,
    drain,
    isIdle,
    canClaim: () => isOpen && held < maxHeld,
    close: () => {
      isOpen = false
      releaseReady()
      return new Promise((resolve) => {
        closings.push(resolve)
        void fill()
      })
    },
    open: () => {
      isOpen = true
    },
  }
}
