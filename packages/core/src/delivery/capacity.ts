import type { Pace } from '../store.ts'
import type { Clock } from '../values/clock.ts'

/** Spreads attempt starts over time. */
type Pacer = { isOpen(): boolean; count(): void }

/** The capacity that an attempt occupies. */
export type Slot = {
  /**
   * Frees a quick slot when the attempt has ended: writing its result needs none. A slow slot stays taken until `end`.
   */
  free(): void
  /** Moves the attempt to a slow slot. */
  moveToSlow(): void
  /** Ends the attempt's use of capacity. */
  end(): void
}

export type CapacityOptions = {
  readonly concurrency: number
  readonly clock: Clock
  /** Returns whether the starts of attempts in slow slots are spread over time. */
  isPaced(): boolean
  /** Called when more attempts may start. */
  onFree(): void
}

/** Number of attempts per slot. While one attempt runs, the result of another can be written. */
const heldPerSlot = 2

/** Number of slow slots per quick slot. There can be many, because slow attempts mostly wait. */
const slowSlotsPerSlot = 16

/** Rate limits on attempt starts: 400 per second to new or slow endpoints, and 50 per second to failing ones. */
const suspectPacing = { burst: 4, pauseMs: 2.5 }
const failingPacing = { burst: 2, pauseMs: 20 }

type PacerOptions = Pick<CapacityOptions, 'clock' | 'onFree'> & typeof suspectPacing

const createPacer = ({ burst, pauseMs, clock, onFree }: PacerOptions): Pacer => {
  const intervalMs = burst * pauseMs
  let started = 0
  let dueAt = 0
  return {
    isOpen: () => started < burst,
    count: () => {
      started++
      if (started > 1) return
      const now = clock.now()
      // Catches up after late timers, but not after idle time or a clock step.
      dueAt = Math.min(Math.max(dueAt, now - intervalMs), now) + intervalMs
      setTimeout(
        () => {
          started = 0
          onFree()
        },
        Math.max(0, dueAt - now),
      )
    },
  }
}

/**
 * The capacity of a worker (decision 0022). Quick attempts share `concurrency` slots, for at most half a second each,
 * unless `sharesFairly` is `false`. All others use slow slots, and their starts are spread over time. An organization
 * starts none there while it uses half of the slow slots that other organizations do not use. A quick attempt that
 * becomes slow moves there in any case.
 */
export const createCapacity = ({ concurrency, clock, isPaced, onFree }: CapacityOptions) => {
  const suspectPacer = createPacer({ ...suspectPacing, clock, onFree })
  const failingPacer = createPacer({ ...failingPacing, clock, onFree })
  /** Slow slots in use, by organization. */
  const slow = new Map<string, number>()
  let slowTaken = 0
  let running = 0
  /** Number of attempts that started as quick and did not become slow, until their results are written. */
  let held = 0

  const getPacer = (pace: Pace): Pacer => (pace === 'failing' ? failingPacer : suspectPacer)
  const countFree = (): number => Math.max(0, concurrency * slowSlotsPerSlot - slowTaken)

  const changeSlow = (organizationId: string, by: 1 | -1): void => {
    slowTaken += by
    const count = (slow.get(organizationId) ?? 0) + by
    if (count === 0) slow.delete(organizationId)
    else slow.set(organizationId, count)
  }

  const startSlow = (pacer: Pacer, organizationId: string): Slot => {
    if (isPaced()) pacer.count()
    changeSlow(organizationId, 1)
    return { free: () => {}, moveToSlow: () => {}, end: () => changeSlow(organizationId, -1) }
  }

  const startQuick = (organizationId: string): Slot => {
    let hasSlot = true
    let isSlow = false
    running++
    held++
    const free = (): void => {
      if (!hasSlot) return
      hasSlot = false
      running--
      onFree()
    }
    return {
      free,
      moveToSlow: () => {
        if (isSlow || !hasSlot) return
        isSlow = true
        held--
        changeSlow(organizationId, 1)
        free()
      },
      end: () => {
        free()
        if (isSlow) changeSlow(organizationId, -1)
        else held--
      },
    }
  }

  return {
    /** Returns whether an attempt of this pace can start now. */
    allows: (pace: Pace): boolean => {
      if (pace === 'quick') return running < concurrency && held < concurrency * heldPerSlot
      return countFree() > 0 && (!isPaced() || getPacer(pace).isOpen())
    },
    /** Returns the organizations that cannot start an attempt in a slow slot. */
    listFull: (): ReadonlySet<string> => {
      const free = countFree()
      return new Set([...slow].filter(([, count]) => count >= free).map(([organizationId]) => organizationId))
    },
    start: (pace: Pace, organizationId: string): Slot =>
      pace === 'quick' ? startQuick(organizationId) : startSlow(getPacer(pace), organizationId),
  }
}
