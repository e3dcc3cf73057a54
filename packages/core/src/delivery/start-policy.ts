import type { SubscriptionRecord } from '../records.ts'
import type { Pace } from '../store.ts'
import { type CapacityOptions, createCapacity, type Slot } from './capacity.ts'
import { createRoundRobin, type RoundRobin } from './round-robin.ts'
import { createStartLimit, type StartLimit } from './start-limit.ts'
import type { Ended, Queue, SchedulerContext } from './states.ts'

const none: ReadonlySet<string> = new Set()

/** One pace for each round robin. Quick queues come first, because they need no slow slot. */
const paces = ['quick', 'new', 'failing'] as const

export const decidePace = (current: Pace, { result, isSlow }: Ended): Pace => {
  if (result === undefined || result.kind === 'refused') return current
  // A 409 is not a success, so a new or failing subscription is still limited to one attempt at a time.
  if (result.kind === 'deferred') return isSlow && current === 'quick' ? 'slow' : current
  if (result.kind !== 'delivered') return 'failing'
  return isSlow ? 'slow' : 'quick'
}

/**
 * Decides which ready queue is next, and how many of its deliveries may be under way (decision 0022). Keeps
 * track of capacity, order and recent starts, but not of deliveries.
 */
export type Policy = ReturnType<typeof createPolicy>

export const createPolicy = (
  options: CapacityOptions & Pick<SchedulerContext, 'perSubscription' | 'sharesFairly'>,
) => {
  const capacity = createCapacity(options)
  const ready = {
    quick: createRoundRobin<Queue>(),
    suspect: createRoundRobin<Queue>(),
    failing: createRoundRobin<Queue>(),
  }
  /** Start limits by queue. They outlive the queues, because earlier starts still count. */
  const limits = new Map<string, StartLimit>()

  const getPace = ({ pace }: Queue): Pace => (options.sharesFairly ? pace : 'quick')
  const getRoundRobin = (pace: Pace): RoundRobin<Queue> =>
    pace === 'quick' || pace === 'failing' ? ready[pace] : ready.suspect

  return {
    limits,
    isEmpty: () => Object.values(ready).every((queues) => queues.isEmpty()),
    add: (queue: Queue): void => getRoundRobin(getPace(queue)).add(queue.organizationId, queue),
    remove: (queue: Queue): boolean => getRoundRobin(getPace(queue)).delete(queue),
    /**
     * Returns the maximum number of deliveries of a queue under way. Next to results that cannot be stored, one more
     * shows whether others can, if `perSubscription` leaves room for it: a result that can never be stored should not stop its
     * endpoint.
     */
    getMaximum: (queue: Queue): number => {
      const pace = getPace(queue)
      if (queue.unstored > 0) return Math.min(options.perSubscription, queue.unstored + 1)
      return pace === 'new' || pace === 'failing' ? 1 : options.perSubscription
    },
    /** Returns the time from which the limit of a queue allows a start, and its results can probably be stored. */
    getStart: ({ id, pausedUntil }: Queue): number =>
      options.isPaced() ? Math.max(limits.get(id)?.nextAt() ?? -Infinity, pausedUntil) : -Infinity,
    /** Yields ready queues while there is capacity. The caller picks one delivery of each, or removes it. */
    *next(): Generator<Queue> {
      let full = none
      for (const pace of paces) {
        while (capacity.allows(pace)) {
          const queue = getRoundRobin(pace).next(full)
          if (queue === undefined) break
          yield queue
        }
        if (pace === 'quick') full = capacity.listFull()
      }
    },
    /** Occupies capacity for the next delivery of a queue. */
    pick: (queue: Queue): Slot => {
      limits.get(queue.id)?.pick()
      return capacity.start(getPace(queue), queue.organizationId)
    },
    /** Counts a start. Returns whether it is allowed. */
    start: ({ id }: Queue, { maxAttemptsPerSecond }: SubscriptionRecord): boolean => {
      if (!options.isPaced()) return true
      const limit = limits.get(id) ?? createStartLimit()
      if (maxAttemptsPerSecond === null) limits.delete(id)
      else limits.set(id, limit)
      return maxAttemptsPerSecond === null || limit.start(maxAttemptsPerSecond, options.clock.now())
    },
  }
}
