import type { SubscriptionRecord } from '../records.ts'
import { createHeap, type HeapItem, notInHeap } from '../storage/heap.ts'
import type {
  AttemptKey,
  AttemptVerdict,
  DeliveryQueue,
  LoadedDelivery,
  OwnedShard,
  Pace,
  PendingDelivery,
  QueueChange,
  QueueState,
  QueuesPage,
  SettlementOutcome,
} from '../store.ts'
import type { Clock } from '../values/clock.ts'
import { startBackgroundTimer } from '../values/clock.ts'
import { type Capacity, createCapacity, type Slot } from './capacity.ts'
import { createPrefetch, type Entry, type Prefetch } from './prefetch.ts'
import { createRoundRobin, type RoundRobin } from './round-robin.ts'
import { createStartLimit, type StartLimit } from './start-limit.ts'
import { createStopSignal, type StopSignal } from './stop-signal.ts'

/**
 * Decides when each delivery is attempted. No other code decides this: stores only keep deliveries, and determine the
 * heads of lanes (see {@link DeliveryQueue}).
 *
 * States of a delivery, as its scheduler sees it:
 * - *stored*: only in the store, because it is not the head of its lane, or does not fit the prefetched deliveries of its queue;
 * - *held*: prefetched, due now or later;
 * - *loading*: it has a slot, and the data for its attempt is being read;
 * - *attempting*; *settling*: its outcome is being written.
 *
 * Transitions:
 * - stored → held: a page contains it, a change reports it, or a settlement returns it as `next` of its lane.
 * - held → stored: it does not fit, or its queue is read again.
 * - held → loading: it is due, its queue and its organization are next, its queue has fewer deliveries under
 *   way than its maximum, and there is capacity for its pace.
 * - loading → attempting; → held, if it could not be read, its shard is being left, its subscription has reached its
 *   limit of starts, or is new or failing and has another attempt running; → stored, if it has changed since it was
 *   held: then its queue is read again.
 * - attempting → settling; → held, if it was stopped before it had a result.
 * - settling → held, as a retry; → stored, as a retry that does not fit; → finished; → stored, if the
 *   settlement was stale or could not be written: then its queue is read again.
 * - any → stored, on `close` and when its shard is left. A running attempt ends first, or is stopped.
 *
 * A queue is *ready* (a delivery is due, and the queue waits for its turn within its pace), *upcoming* (a delivery is
 * due later, or may start later), *full* (a delivery is due, and the maximum number are under way), or *reading*. A
 * queue with no delivery that is held, under way or unread is forgotten once its pace is written.
 *
 * Counters: per queue, the number of deliveries that are loading, attempting or settling (`busy`); per pace, the
 * counters of {@link Capacity}.
 *
 * These must never happen:
 * - A delivery is under way twice.
 * - A queue has more than `perSubscription` deliveries under way, or starts one next to another while it is new or failing.
 * - More attempts to a subscription start than its `maxAttemptsPerSecond` allows. When another worker takes over, the
 *   count starts over.
 * - An attempt starts in a shard that is not owned, or between `close` and `open`.
 * - A queue with a due delivery is neither ready, full nor reading, and nothing wakes it.
 * - More than about `prefetchLimits.budget` deliveries are held, however large the backlog is.
 */
export type Scheduler = {
  /** Reads all queues of newly owned shards. */
  take(shards: readonly OwnedShard[]): void
  /**
   * Stops the attempts in a shard: the attempts of failing queues at once, and all others after `graceMs`. Forgets the
   * shard. Resolves when no attempt is left.
   */
  leave(shard: number, graceMs: number): Promise<void>
  /** Handles a change that the delivery queue reports. */
  onChange(change: QueueChange): void
  /** Reads the changes that may not have been reported. */
  sweep(): Promise<void>
  /**
   * Starts no more attempts. Stops the attempts of failing queues at once, and all others after `graceMs`. Resolves
   * when no attempt is left.
   */
  close(graceMs: number): Promise<void>
  open(): void
  /** Resolves when no delivery is due and no attempt is running. Rejects if a read or a write failed. */
  drain(): Promise<void>
  /** Returns the latest time at which the current attempt of a delivery can end; `undefined` if there is none. */
  findAttempt(deliveryId: string): number | undefined
}

/** A delivery under way. */
export type Job = {
  readonly attempted: LoadedDelivery
  readonly key: AttemptKey
  readonly slot: Slot
  /** Stops when the attempt must end without a result. */
  readonly stopping: StopSignal
}

/** An attempt that has ended. If it has no `result`, it was stopped. */
export type Ended = { readonly result: AttemptVerdict | undefined; readonly isSlow: boolean }

export type SchedulerContext = {
  readonly store: Pick<
    DeliveryQueue,
    'shards' | 'readQueues' | 'readHeads' | 'readRetries' | 'loadDeliveries'
  >
  readonly clock: Clock
  readonly concurrency: number
  readonly perSubscription: number
  readonly sharesFairly: boolean
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Returns the epoch of a shard in which attempts may start. */
  getEpoch(shard: number): number | undefined
  attempt(job: Job): Promise<Ended>
  /** Writes the outcome of an attempt. `pace` is the new pace; `undefined` keeps the stored one. */
  settle(job: Job, result: AttemptVerdict, pace: Pace | undefined): Promise<SettlementOutcome>
  /** Returns whether settlements are being written. */
  isSettling(): boolean
  readonly onError: (error: unknown) => void
}

type Queue = HeapItem & {
  readonly id: string
  readonly shard: number
  readonly epoch: number
  readonly organizationId: string
  readonly prefetch: Prefetch
  /** The time at which an upcoming queue becomes ready. */
  at: number
  pace: Pace
  /** The stored pace, and the time at which the last write of another pace started. */
  readonly stored: { pace: Pace; at: number }
  readonly jobs: Set<RunningJob>
  busy: number
  /** The position from which to read again, once the current settlements are written. */
  lookFrom: number
}

type RunningJob = Job & { readonly queue: Queue; readonly endsAt: number }

/** A delivery that is loading. */
type Picked = { readonly queue: Queue; readonly entry: Entry; readonly slot: Slot }

/** Maximum number of deliveries of each kind, heads and retries, that a process holds in total and per queue. Simulated runs lower it. */
export const prefetchLimits = { budget: 10_000, perQueue: 512 }

/** Maximum number of pages that are read concurrently. */
const maxReading = 4

/** Pause after a failed read, and before rereading a queue that has changed, in milliseconds. */
const failurePauseMs = 250
const missPauseMs = 20

/** Minimum time between two writes of a subscription's pace, in milliseconds. */
const pacePauseMs = 1_000

const noOrganizations: ReadonlySet<string> = new Set()

const decidePace = (current: Pace, { result, isSlow }: Ended): Pace => {
  if (result === undefined || result.kind === 'refused') return current
  // A 409 is not a success, so a new or failing subscription still gets one attempt at a time.
  if (result.kind === 'deferred') return isSlow && current === 'quick' ? 'slow' : current
  if (result.kind !== 'delivered') return 'failing'
  return isSlow ? 'slow' : 'quick'
}

/** Maximum timer delay, in milliseconds. */
const maxTimerMs = 60_000

export const createScheduler = (context: SchedulerContext): Scheduler => {
  const { store, clock, perSubscription, sharesFairly, getEpoch, onError } = context
  const queues = new Map<string, Queue>()
  const ready = {
    quick: createRoundRobin<Queue>(),
    suspect: createRoundRobin<Queue>(),
    failing: createRoundRobin<Queue>(),
  }
  const upcoming = createHeap<Queue>((left, right) => left.at < right.at)
  const unread = new Set<Queue>()
  /** Deliveries under way, by id. */
  const jobs = new Map<string, RunningJob>()
  /** Start limits by queue. They outlive the queues, because earlier starts still count. */
  const limits = new Map<string, StartLimit>()
  const drains: Array<{ resolve(): void; reject(error: unknown): void }> = []
  const idle: Array<{ readonly isIdle: () => boolean; resolve(): void }> = []
  let timer: { readonly at: number; readonly handle: ReturnType<typeof setTimeout> } | undefined
  let isOpen = false
  let isRequested = false
  let isLoading = false
  /** Number of pages of deliveries and of queues that are being read. */
  let reading = 0
  let sweeping = 0
  /** Shards that were taken but have not been read yet. */
  const newShards = new Set<number>()
  /** The cursor up to which all other shards were read. */
  let cursor: string | undefined
  /** Whether changes were missed. A read that is under way may not contain them. */
  let isSweepDue = false
  /** Number of times that the reading of new shards has started. */
  let starts = 0

  /** Returns whether starts are spread over time. They are not during a drain, because a test clock may not advance. */
  const isPaced = (): boolean => drains.length === 0

  const capacity: Capacity = createCapacity({
    concurrency: context.concurrency,
    clock,
    isPaced,
    onFree: () => request(),
  })

  const fail = (error: unknown): void => {
    if (drains.length === 0) onError(error)
    for (const { reject } of drains.splice(0)) reject(error)
  }

  const getPace = ({ pace }: Queue): Pace => (sharesFairly ? pace : 'quick')
  const getRoundRobin = (queue: Queue): RoundRobin<Queue> => {
    const pace = getPace(queue)
    return pace === 'quick' || pace === 'failing' ? ready[pace] : ready.suspect
  }
  const getMaximum = (queue: Queue): number => {
    const pace = getPace(queue)
    return pace === 'new' || pace === 'failing' ? 1 : perSubscription
  }
  const getSize = (): number =>
    Math.max(1, Math.min(prefetchLimits.perQueue, Math.floor(prefetchLimits.budget / queues.size)))

  /** Moves a queue to the set for its state, after any change. */
  const place = (queue: Queue): void => {
    if (queues.get(queue.id) !== queue) return
    const now = clock.now()
    const startsAt = (isPaced() && limits.get(queue.id)?.nextAt()) || -Infinity
    queue.at = Math.max(queue.prefetch.nextAt(), startsAt)
    const isDue = queue.at <= now
    if (queue.prefetch.needsReading()) unread.add(queue)
    if (isDue && queue.busy < getMaximum(queue)) {
      upcoming.remove(queue)
      getRoundRobin(queue).add(queue.organizationId, queue)
      return
    }
    getRoundRobin(queue).delete(queue)
    if (isDue || queue.at === Infinity) upcoming.remove(queue)
    else upcoming.put(queue)
    // Keeps a queue until its pace is written, because only this process knows it.
    if (queue.busy === 0 && queue.prefetch.isEmpty() && queue.pace === queue.stored.pace) forget(queue)
  }

  const forget = (queue: Queue): void => {
    queues.delete(queue.id)
    unread.delete(queue)
    upcoming.remove(queue)
    getRoundRobin(queue).delete(queue)
  }

  const setPace = (queue: Queue, pace: Pace): void => {
    getRoundRobin(queue).delete(queue)
    queue.pace = pace
  }

  /** Returns the queue with this state, if its shard is owned. */
  const open = ({ queue: id, shard, organizationId, pace }: QueueState): Queue | undefined => {
    // A queue that is opened after `close` would keep its epoch when the shard is taken again.
    if (!isOpen) return undefined
    const known = queues.get(id)
    if (known !== undefined) return known
    const epoch = getEpoch(shard)
    if (epoch === undefined) return undefined
    // In a shard that has been read, a queue that is not in memory has no deliveries.
    const prefetch = createPrefetch({ queue: id, store, isEmpty: !newShards.has(shard), getSize })
    const stored = { pace, at: -Infinity }
    const queue: Queue = {
      id,
      shard,
      epoch,
      organizationId,
      prefetch,
      pace,
      stored,
      jobs: new Set(),
      at: Infinity,
      slot: notInHeap,
      busy: 0,
      lookFrom: Infinity,
    }
    queues.set(id, queue)
    return queue
  }

  const restart = (state: QueueState): void => {
    const queue = open(state)
    if (queue === undefined) return
    // Other processes only reset a pace. Any other value was read before this process wrote its own.
    if (state.pace === 'new' && queue.stored.pace !== 'new') {
      setPace(queue, 'new')
      queue.stored.pace = 'new'
    }
    limits.get(queue.id)?.allowNext()
    queue.prefetch.restart()
    place(queue)
  }

  /** Reads heads starting at a position, and again once the settlements that may have missed them are written. */
  const lookFrom = (state: QueueState, from: number): void => {
    const queue = open(state)
    if (queue === undefined) return
    if (context.isSettling()) queue.lookFrom = Math.min(queue.lookFrom, from)
    queue.prefetch.lookFrom(from)
    place(queue)
  }

  const addHead = (state: QueueState, head: PendingDelivery): void => {
    const queue = open(state)
    queue?.prefetch.add(head)
    if (queue !== undefined) place(queue)
  }

  const applyPage = ({ queues: found }: QueuesPage): void => {
    for (const { state, from } of found) {
      if (from === 0) restart(state)
      else lookFrom(state, from)
    }
  }

  /** Reads queues page by page. Returns the cursor after the last page; `undefined` if a read failed. */
  const readQueues = async (shards: readonly number[], since?: string): Promise<string | undefined> => {
    sweeping++
    let position = since
    try {
      for (let isMore = true; isMore; ) {
        const page = await store.readQueues({ shards, since: position, limit: 1_000 })
        applyPage(page)
        request()
        position = page.cursor
        isMore = page.isMore
      }
      return position
    } catch (error) {
      fail(error)
      return undefined
    } finally {
      sweeping--
      request()
    }
  }

  /** Reads the queues of all shards that have not been read yet. */
  const readNewShards = async (): Promise<void> => {
    if (newShards.size === 0) return
    const start = ++starts
    const before = cursor
    const behind = await readQueues([...newShards])
    // More shards were taken meanwhile. The read that then started includes these.
    if (start !== starts) return
    if (behind === undefined) {
      await pauseReading(failurePauseMs)
      return readNewShards()
    }
    // A sweep that ended meanwhile did not include these shards.
    cursor = before ?? behind
    newShards.clear()
    // A drain waits until this read is complete.
    request()
  }

  /** Lists the owned shards that have been read. */
  const listReadShards = (): number[] =>
    Array.from({ length: store.shards }, (_, shard) => shard).filter(
      (shard) => getEpoch(shard) !== undefined && !newShards.has(shard),
    )

  const sweep = async (): Promise<void> => {
    for (const [id, limit] of limits) if (limit.isOver(clock.now())) limits.delete(id)
    if (sweeping > 0 || cursor === undefined) return
    const swept = listReadShards()
    const behind = await readQueues(swept, cursor)
    // If other shards were read meanwhile, the next sweep starts from the same cursor and includes them.
    if (behind !== undefined && listReadShards().every((shard) => swept.includes(shard))) cursor = behind
  }

  /** Counts a read as running, so that a drain waits for it. */
  const pauseReading = async (ms: number): Promise<void> => {
    reading++
    await new Promise<void>((resolve) => startBackgroundTimer(resolve, ms))
    reading--
    request()
  }

  /** Reads pages, starting with the queues that have waited longest. */
  const read = (): void => {
    for (const queue of unread) {
      if (reading >= maxReading) return
      unread.delete(queue)
      if (!queue.prefetch.needsReading()) continue
      reading++
      queue.prefetch
        .read()
        .catch((error: unknown) => {
          fail(error)
          return pauseReading(failurePauseMs)
        })
        .finally(() => {
          reading--
          place(queue)
          request()
        })
    }
  }

  const wakeAt = (at: number): void => {
    if (timer !== undefined && timer.at <= at) return
    clearTimeout(timer?.handle)
    const wake = (): void => {
      timer = undefined
      request()
    }
    timer = { at, handle: startBackgroundTimer(wake, Math.min(maxTimerMs, Math.max(0, at - clock.now()))) }
  }

  /** Makes queues ready when they have become due. */
  const advance = (): void => {
    const now = clock.now()
    for (let queue = upcoming.peek(); queue !== undefined && queue.at <= now; queue = upcoming.peek())
      place(queue)
    const next = upcoming.peek()
    if (next !== undefined) wakeAt(next.at)
  }

  const pickFrom = (roundRobin: RoundRobin<Queue>, pace: Pace, except = noOrganizations): Picked[] => {
    const picks: Picked[] = []
    while (capacity.allows(pace)) {
      const queue = roundRobin.next(except)
      if (queue === undefined) break
      const entry = getEpoch(queue.shard) === queue.epoch ? queue.prefetch.take() : undefined
      if (entry === undefined) {
        roundRobin.delete(queue)
        continue
      }
      queue.busy++
      limits.get(queue.id)?.pick()
      picks.push({ queue, entry, slot: capacity.start(pace, queue.organizationId) })
      place(queue)
    }
    return picks
  }

  const pick = (): Picked[] => {
    const quick = pickFrom(ready.quick, 'quick')
    const full = capacity.listFull()
    return [...quick, ...pickFrom(ready.suspect, 'new', full), ...pickFrom(ready.failing, 'failing', full)]
  }

  /** Removes a delivery from the deliveries under way. */
  const release = ({ queue, entry, slot }: Picked): void => {
    slot.end()
    queue.busy--
    if (jobs.get(entry.id)?.queue === queue) jobs.delete(entry.id)
  }

  const putBack = (picked: Picked): void => {
    release(picked)
    picked.queue.prefetch.putBack(picked.entry)
    place(picked.queue)
  }

  /** Drops a held delivery that differs from the stored one. */
  const discard = (picked: Picked): void => {
    release(picked)
    const { prefetch } = picked.queue
    prefetch.end(picked.entry, null, null)
    prefetch.restart()
    place(picked.queue)
  }

  /**
   * Drops a held delivery and reads its queue again after a pause, because the next page may be the same. Until then,
   * the queue is not forgotten. A drain does not wait for that read: if another worker has taken the shard, every page
   * is the same.
   */
  const discardForNow = (picked: Picked): void => {
    release(picked)
    place(picked.queue)
    void pauseReading(missPauseMs).then(() => {
      picked.queue.prefetch.end(picked.entry, null, null)
      picked.queue.prefetch.restart()
      place(picked.queue)
      request()
    })
  }

  const choosePaceToWrite = ({ pace, stored }: Queue): Pace | undefined =>
    pace !== stored.pace && clock.now() - stored.at >= pacePauseMs ? pace : undefined

  const settle = async (picked: Picked, job: RunningJob, result: AttemptVerdict): Promise<void> => {
    const { queue, entry } = picked
    const pace = choosePaceToWrite(queue)
    if (pace !== undefined) queue.stored.at = clock.now()
    try {
      const outcome = await context.settle(job, result, pace)
      if (outcome.outcome === 'stale') return discard(picked)
      // This comes after the write, because a change that was read before it has the old pace, and would look like a reset.
      if (pace !== undefined) queue.stored.pace = pace
      release(picked)
      const { delivery, version, next } = outcome
      const retry = delivery.dueAt === null ? null : { ...entry, version, dueAt: delivery.dueAt }
      queue.prefetch.end(entry, retry, next)
      if (queue.lookFrom < Infinity) queue.prefetch.lookFrom(queue.lookFrom)
      queue.lookFrom = Infinity
      place(queue)
    } catch (error) {
      discard(picked)
      fail(error)
    }
  }

  const createJob = (
    { queue, entry, slot }: Picked,
    key: AttemptKey,
    attempted: LoadedDelivery,
  ): RunningJob => {
    const stopping = createStopSignal()
    const job = { queue, key, slot, attempted, stopping, endsAt: clock.now() + context.timeoutMs }
    jobs.set(entry.id, job)
    queue.jobs.add(job)
    return job
  }

  const run = async (picked: Picked, key: AttemptKey, attempted: LoadedDelivery): Promise<void> => {
    const { queue } = picked
    const job = createJob(picked, key, attempted)
    try {
      const ended = await context.attempt(job)
      if (ended.result === undefined) return putBack(picked)
      setPace(queue, decidePace(queue.pace, ended))
      await settle(picked, job, ended.result)
    } finally {
      queue.jobs.delete(job)
      request()
    }
  }

  /** Counts a start. Returns whether it is allowed. */
  const mayStart = (queue: Queue, { maxAttemptsPerSecond }: SubscriptionRecord): boolean => {
    if (!isPaced()) return true
    const limit = limits.get(queue.id) ?? createStartLimit()
    if (maxAttemptsPerSecond === null) limits.delete(queue.id)
    else limits.set(queue.id, limit)
    return maxAttemptsPerSecond === null || limit.start(maxAttemptsPerSecond, clock.now())
  }

  const endLoading = (picks: readonly Picked[]): void => {
    for (const { queue } of picks) limits.get(queue.id)?.endLoading()
  }

  const load = async (picks: readonly Picked[]): Promise<void> => {
    isLoading = true
    const keys = picks.map(({ queue: { shard, epoch }, entry: { id, version } }) => ({
      shard,
      epoch,
      id,
      version,
    }))
    try {
      const loaded = await store.loadDeliveries(keys).finally(() => endLoading(picks))
      for (const [index, picked] of picks.entries()) {
        const [key, attempted] = [keys[index], loaded[index]]
        const isLimited = limits.has(picked.queue.id)
        if (key === undefined || attempted === undefined) discardForNow(picked)
        // In the meantime, the scheduler may have been closed, or the shard given up.
        else if (!isOpen || getEpoch(picked.queue.shard) !== picked.queue.epoch) putBack(picked)
        // The maximum is lower if the subscription has failed in the meantime.
        else if (picked.queue.jobs.size >= getMaximum(picked.queue)) putBack(picked)
        else if (mayStart(picked.queue, attempted.subscription)) void run(picked, key, attempted)
        else putBack(picked)
        if (isLimited) place(picked.queue)
      }
    } catch (error) {
      for (const picked of picks) putBack(picked)
      fail(error)
      await pauseReading(failurePauseMs)
    }
    isLoading = false
    request()
  }

  const hasNothingDue = (): boolean =>
    jobs.size === 0 &&
    !isLoading &&
    reading === 0 &&
    unread.size === 0 &&
    sweeping === 0 &&
    newShards.size === 0 &&
    Object.values(ready).every((roundRobin) => roundRobin.isEmpty())

  const fill = (): void => {
    isRequested = false
    if (isOpen) {
      if (isSweepDue && sweeping === 0 && cursor !== undefined) {
        isSweepDue = false
        void sweep()
      }
      read()
      advance()
      const picks = isLoading ? [] : pick()
      if (picks.length > 0) void load(picks)
      // The deliveries that were taken may have left room for others.
      read()
    }
    if (drains.length > 0 && hasNothingDue()) for (const { resolve } of drains.splice(0)) resolve()
    for (const waiting of idle.splice(0)) {
      if (waiting.isIdle()) waiting.resolve()
      else idle.push(waiting)
    }
  }

  /** Fills free capacity, after the current synchronous work. */
  const request = (): void => {
    if (isRequested) return
    isRequested = true
    // Does not use `queueMicrotask`, because the fake timers of test runners replace it.
    void Promise.resolve().then(fill)
  }

  const waitUntil = (isIdle: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      idle.push({ isIdle, resolve })
      request()
    })

  /** Lists all queues, including the queues of shards that are being left and still have attempts. */
  const listQueues = (): Queue[] => [
    ...new Set([...queues.values(), ...Array.from(jobs.values(), ({ queue }) => queue)]),
  ]

  /** Stops the attempts of failing queues at once, and all others after `graceMs`. Waits until they have ended. */
  const stopJobs = async (own: readonly Queue[], graceMs: number): Promise<void> => {
    const stop = (queues: readonly Queue[]): void => {
      for (const { jobs } of queues) for (const { stopping } of jobs) stopping.stop()
    }
    stop(own.filter(({ pace }) => pace === 'failing'))
    const timeout = graceMs > 0 ? setTimeout(stop, graceMs, own) : stop(own)
    await waitUntil(() => own.every(({ busy }) => busy === 0))
    clearTimeout(timeout ?? undefined)
  }

  return {
    sweep,
    findAttempt: (id) => jobs.get(id)?.endsAt,
    take: (shards) => {
      for (const { shard } of shards) newShards.add(shard)
      void readNewShards()
    },
    leave: async (shard, graceMs) => {
      newShards.delete(shard)
      const own = listQueues().filter((queue) => queue.shard === shard)
      for (const queue of own) forget(queue)
      await stopJobs(own, graceMs)
    },
    onChange: (change) => {
      if (change.kind === 'head') addHead(change.state, change.head)
      else if (change.kind === 'appended') lookFrom(change.state, change.from)
      else if (change.kind === 'changed') restart(change.state)
      else if (change.kind === 'missed') isSweepDue = true
      request()
    },
    open: () => {
      isOpen = true
      request()
    },
    close: async (graceMs) => {
      isOpen = false
      const own = listQueues()
      await stopJobs(own, graceMs)
      for (const queue of own) forget(queue)
      newShards.clear()
      cursor = undefined
      clearTimeout(timer?.handle)
      timer = undefined
    },
    drain: () =>
      new Promise((resolve, reject) => {
        drains.push({ resolve, reject })
        for (const queue of queues.values()) place(queue)
        void sweep()
        request()
      }),
  }
}
