import type { Pace, SuspectShare } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import { createPacer, type Pacer } from './pacer.ts'
import { createSlowPlaces } from './slow-places.ts'

/** What a pool must know of a job. */
export type PoolJob = {
  readonly organizationId: string
  /** Unless it is `quick`, it gets a slow place from the beginning. */
  readonly pace: Pace
}

/** What can be taken now: jobs that will probably be quick, and, besides, suspect ones. */
export type Room = { readonly limit: number; readonly suspects: SuspectShare }

/** The place of a job that runs. */
export type JobPlace = {
  /** The rest of the job, such as writing its result, needs no place any more. */
  makeRoom(): void
  /** The job is slow: it moves to a slow place. */
  slowDown(): void
}

/** What a {@link createPool} works on. */
export type PoolContext<Job extends PoolJob> = {
  /** Maximum number of concurrent jobs that are neither suspect nor slow. */
  readonly concurrency: number
  readonly clock: Clock
  /** Gives jobs that can be done now; fewer than there is room for when there are no more. */
  take(room: Room): Promise<readonly Job[]>
  run(job: Job, place: JobPlace): Promise<void>
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

/** A slow job does little but wait, so there can be many. */
const slowPerPlace = 16

/** A take costs much the same for one job as for many: it waits for room for so many per place, or for so long. */
const gathering = { perPlace: 1 / 2, ms: 5 }

/**
 * Suspect jobs begin one after the other, so that many of them at once do not delay the quick ones: 400 a second that are
 * new or slow, and 50 that are failing.
 */
const suspectPacing = { atOnce: 4, msEach: 2.5 }
const failingPacing = { atOnce: 2, msEach: 20 }

/** Creates a pool. Calls of `take` never overlap: who asks meanwhile is served by one more round. */
export const createPool = <Job extends PoolJob>(context: PoolContext<Job>): Pool => {
  const { concurrency, clock, take, run, giveBack, onError } = context
  const most = concurrency * heldPerPlace
  const worthTaking = Math.ceil(concurrency * gathering.perPlace)
  const slow = createSlowPlaces(concurrency * slowPerPlace)
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
  const end = async (work: Promise<void>, leave: () => void): Promise<void> => {
    try {
      await work
    } catch (error) {
      fail(error)
    }
    leave()
    await fill()
  }

  const startSuspect = (job: Job): void => {
    slow.enter(job.organizationId)
    const work = run(job, { makeRoom: () => {}, slowDown: () => {} })
    void end(work, () => slow.leave(job.organizationId))
  }

  const start = (job: Job): void => {
    const { organizationId } = job
    working++
    let hasPlace = true
    let isSlow = false
    const makeRoom = (): void => {
      if (!hasPlace) return
      hasPlace = false
      working--
      startReady()
    }
    const slowDown = (): void => {
      isSlow = true
      held--
      slow.enter(organizationId)
      makeRoom()
      void fill()
    }
    void end(run(job, { makeRoom, slowDown }).finally(makeRoom), () => {
      if (isSlow) slow.leave(organizationId)
      else held--
    })
  }

  const startReady = (): void => {
    while (isOpen && working < concurrency) {
      const job = ready.shift()
      if (job === undefined) return
      start(job)
    }
  }

  const keep = (jobs: readonly Job[]): void => {
    const suspects = jobs.filter(({ pace }) => pace !== 'quick')
    const others = jobs.filter(({ pace }) => pace === 'quick')
    const failing = suspects.filter(({ pace }) => pace === 'failing')
    held += others.length
    ready.push(...others)
    if (isOpen) {
      startReady()
      for (const job of suspects) startSuspect(job)
      if (waiting.length > 0) return
      suspectPacer.begin(suspects.length - failing.length)
      failingPacer.begin(failing.length)
    } else {
      held += suspects.length
      ready.push(...suspects)
      giveAllBack()
    }
  }

  const onRoom = (): void => void fill()
  const suspectPacer = createPacer({ ...suspectPacing, clock, onRoom })
  const failingPacer = createPacer({ ...failingPacing, clock, onRoom })

  const roomLeft = (): Room => {
    const free = slow.free()
    // Who drains wants everything sent now.
    const roomOf = ({ room }: Pacer): number => (waiting.length > 0 ? free : Math.min(room(), free))
    return {
      limit: Math.max(0, most - held),
      suspects: { limit: roomOf(suspectPacer), failing: roomOf(failingPacer), except: slow.full() },
    }
  }
  const hasRoom = ({ limit, suspects }: Room): boolean => limit + suspects.limit + suspects.failing > 0

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

  const isIdle = (): boolean => held === 0 && slow.isEmpty() && !isFilling

  const fillNow = async (): Promise<void> => {
    again = true
    if (isFilling) return
    isFilling = true
    // Jobs that end together ask together.
    await undefined
    try {
      for (let room = roomLeft(); again && isOpen && hasRoom(room); room = roomLeft()) {
        again = false
        keep(await take(room))
        if (again && gathers()) break
      }
    } catch (error) {
      fail(error)
    }
    isFilling = false
    if (isIdle()) for (const { resolve } of waiting.splice(0)) resolve()
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
    for (const job of ready) {
      void end(giveBack(job), () => {
        held--
      })
    }
    ready = []
  }

  return {
    fill,
    drain,
    isIdle,
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
