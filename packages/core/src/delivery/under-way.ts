import type { AttemptVerdict, LoadedDelivery, SettlementOutcome } from '../store.ts'
import { failurePauseMs, type Reader } from './page-reader.ts'
import type { Entry } from './prefetch.ts'
import type { Queues } from './queues.ts'
import type { Loop } from './scheduler-loop.ts'
import { decidePace, type Policy } from './start-policy.ts'
import type { Attempting, Loading, Queue, SchedulerContext, Settling, UnderWay } from './states.ts'
import { createStopSignal } from './stop-signal.ts'
import {
  createStorePauses,
  explainRefusal,
  explainUnreadable,
  getLoadPause,
  getStorePause,
  isUnavailable,
  persistentFailures,
  type StoreFailure,
} from './store-failures.ts'

/** Pause before a queue that has changed is read again, in milliseconds. */
const missPauseMs = 20

/** Minimum time between two writes of a subscription's pace, in milliseconds. */
const pacePauseMs = 1_000

type Settled = Extract<SettlementOutcome, { outcome: 'settled' }>

type Parts = {
  readonly policy: Policy
  readonly queues: Queues
  readonly reader: Reader
  readonly loop: Loop
}

/** The deliveries under way, and the transitions between their states. */
export const createUnderWay = (context: SchedulerContext & Parts) => {
  const { clock, policy, queues, reader, loop } = context
  const underWay = new Map<string, UnderWay>()
  /** The results that could not be stored yet, with the number of tries. */
  const unstored = new Map<Settling, number>()
  const { pause, retryNow } = createStorePauses()
  let isLoading = false
  /** Number of loads that failed since the last successful one because the store did not respond. */
  let failedLoads = 0

  const isOwned = ({ shard, epoch }: Queue): boolean => context.getEpoch(shard) === epoch

  const enter = <Next extends UnderWay>(next: Next): Next => {
    underWay.set(next.entry.id, next)
    return next
  }

  /** held → loading. */
  const take = (queue: Queue, entry: Entry): Loading => {
    const key = { shard: queue.shard, epoch: queue.epoch, id: entry.id, version: entry.version }
    const loading = enter({ state: 'loading', queue, entry, key, slot: policy.pick(queue) })
    queue.busy++
    queues.place(queue)
    return loading
  }

  /** loading → attempting. */
  const begin = (loading: Loading, attempted: LoadedDelivery): Attempting => {
    loading.queue.attempts++
    const endsAt = clock.now() + context.timeoutMs
    return enter({ ...loading, state: 'attempting', attempted, stopping: createStopSignal(), endsAt })
  }

  /** attempting → settling. */
  const end = (attempting: Attempting, result: AttemptVerdict): Settling => {
    const { pace, stored } = attempting.queue
    const isPaceDue = pace !== stored.pace && clock.now() - stored.at >= pacePauseMs
    if (isPaceDue) stored.at = clock.now()
    return enter({ ...attempting, state: 'settling', result, pace: isPaceDue ? pace : undefined })
  }

  const release = ({ state, queue, entry, slot }: UnderWay): void => {
    slot.end()
    queue.busy--
    if (state !== 'loading') queue.attempts--
    underWay.delete(entry.id)
  }

  /** settling → held as a retry, stored as a retry that does not fit, or finished. */
  const complete = (settling: Settling, { delivery, version, next }: Settled): void => {
    const { queue, entry, pace } = settling
    // If this came before the write, a change that was read in between would have the old pace, and would
    // look like a reset.
    if (pace !== undefined) queue.stored.pace = pace
    release(settling)
    const retry = delivery.dueAt === null ? null : { ...entry, version, dueAt: delivery.dueAt }
    queue.prefetch.end(entry, retry, next)
    if (queue.lookFrom < Infinity) queue.prefetch.lookFrom(queue.lookFrom)
    queue.lookFrom = Infinity
    queues.place(queue)
  }

  /** loading or attempting → held. */
  const putBack = (delivery: Loading | Attempting): void => {
    const { queue, entry } = delivery
    release(delivery)
    queue.prefetch.putBack(entry)
    queues.place(queue)
  }

  /**
   * settling → stored: the delivery changed during its attempt, or its result could not be stored and this
   * worker may not try again. Reads its queue again.
   */
  const discard = (settling: Settling): void => {
    const { queue, entry } = settling
    release(settling)
    queue.prefetch.end(entry, null, null)
    queue.prefetch.restart()
    queues.place(queue)
  }

  /**
   * loading → stored: the store has another version of the delivery. Reads its queue again after a pause,
   * because a page that is read at once may be just as old. The queue is not forgotten until then. A drain
   * does not wait for that read: if another worker has taken the shard, no page is ever up to date.
   */
  const discardForNow = (loading: Loading): void => {
    const { queue, entry } = loading
    release(loading)
    queues.place(queue)
    void reader.pause(missPauseMs).then(() => {
      queue.prefetch.end(entry, null, null)
      queue.prefetch.restart()
      queues.place(queue)
      loop.request()
    })
  }

  /**
   * loading → held, after a pause: it could not be loaded, although the store responds. Meanwhile, it occupies neither
   * capacity nor a place in its queue.
   */
  const setAside = async (loading: Loading, error: unknown): Promise<void> => {
    const { queue, entry } = loading
    const failures = (queue.unreadable.get(entry.id) ?? 0) + 1
    queue.unreadable.set(entry.id, failures)
    release(loading)
    queues.place(queue)
    if (loop.isDraining()) loop.fail(error)
    // A transaction that was aborted once is no sign of damage, and the next load is soon.
    else if (failures >= persistentFailures || !isUnavailable(error))
      context.onError(explainUnreadable(entry.id, error))
    await pause(queue, getLoadPause(failures))
    queue.prefetch.putBack(entry)
    queues.place(queue)
    loop.request()
  }

  /**
   * Waits before a result that could not be stored is written again. The delivery stays in the state `settling`:
   * attempting it again would flood the endpoint for as long as its result cannot be stored. The pause in which no
   * attempt of the queue starts doubles with each such result, up to the same maximum.
   */
  const pauseQueue = async (settling: Settling, { error, failures }: StoreFailure): Promise<void> => {
    const { queue } = settling
    if (failures === 1) {
      queue.unstored++
      const pausedUntil = clock.now() + getStorePause({ error, failures: queue.unstored })
      queue.pausedUntil = Math.max(queue.pausedUntil, pausedUntil)
      queues.place(queue)
      loop.request()
    }
    unstored.set(settling, failures)
    await pause(queue, getStorePause({ error, failures }))
  }

  const settle = async (settling: Settling): Promise<void> => {
    const { queue } = settling
    const mayRetry = (): boolean => loop.isOpen && isOwned(queue)
    for (let failures = 1; ; failures++) {
      const outcome = await context.settle(settling, queue.unstored > 0).catch((error: unknown) => {
        if (loop.isDraining()) loop.fail(error)
        else context.onError(explainRefusal(error))
        return { error, failures }
      })
      if ('error' in outcome && mayRetry()) {
        await pauseQueue(settling, outcome)
        if (mayRetry()) continue
      }
      if (unstored.delete(settling)) queue.unstored--
      if ('error' in outcome || outcome.outcome === 'stale') return discard(settling)
      queue.pausedUntil = -Infinity
      return complete(settling, outcome)
    }
  }

  const run = async (attempting: Attempting): Promise<void> => {
    const { queue } = attempting
    try {
      const ended = await context.attempt(attempting)
      if (ended.result === undefined) return putBack(attempting)
      queues.setPace(queue, decidePace(queue.pace, ended))
      await settle(end(attempting, ended.result))
    } finally {
      loop.request()
    }
  }

  const start = (loading: Loading, attempted: LoadedDelivery | undefined): void => {
    const { queue } = loading
    if (attempted === undefined) {
      discardForNow(loading)
      return
    }
    // Check again: during loading, the scheduler may have been closed, the shard given up, or an attempt of
    // the subscription may have failed.
    const isPaused = queue.pausedUntil > clock.now() && !loop.isDraining()
    const hasRoom = loop.isOpen && isOwned(queue) && !isPaused && queue.attempts < policy.getMaximum(queue)
    if (hasRoom && policy.start(queue, attempted.subscription)) void run(begin(loading, attempted))
    else putBack(loading)
  }

  const isResponding = (): Promise<boolean> =>
    context.store.nextDueAt().then(
      () => true,
      () => false,
    )

  /**
   * Loads deliveries in one batch, and starts them. If one of them cannot be read, the whole batch fails, so it is
   * loaded again one by one. The deliveries of its queue are probably like it: they are loaded alone until it can be
   * read.
   */
  const load = async (taken: readonly Loading[]): Promise<void> => {
    isLoading = true
    const isSuspect = ({ queue }: Loading): boolean => queue.unreadable.size > 0
    const together = taken.filter((loading) => !isSuspect(loading))
    const batches = taken.filter(isSuspect).map((loading) => [loading])
    if (together.length > 0) batches.unshift(together)
    let isAway = false
    for (const batch of batches) {
      if (isAway) {
        for (const loading of batch) putBack(loading)
        continue
      }
      try {
        const keys = batch.map(({ key }) => key)
        const loaded = await context.store.loadDeliveries(keys).finally(() => {
          for (const { queue } of batch) policy.limits.get(queue.id)?.endLoading()
        })
        failedLoads = 0
        for (const [index, loading] of batch.entries()) {
          const isLimited = policy.limits.has(loading.queue.id)
          loading.queue.unreadable.delete(loading.entry.id)
          start(loading, loaded[index])
          if (isLimited) queues.place(loading.queue)
        }
      } catch (error) {
        isAway = !(await isResponding())
        if (isAway) {
          failedLoads++
          for (const loading of batch) putBack(loading)
          loop.fail(error)
        } else if (batch.length > 1) batches.push(...batch.map((loading) => [loading]))
        else for (const loading of batch) void setAside(loading, error)
      }
    }
    if (isAway) await reader.pause(failurePauseMs)
    isLoading = false
    loop.request()
  }

  /** Stops running attempts, in the order of their queues. */
  const stopNow = (own: readonly Queue[]): void => {
    const running = [...underWay.values()].filter((each) => each.state === 'attempting')
    for (const queue of own.filter(({ attempts }) => attempts > 0))
      for (const each of running) if (each.queue === queue) each.stopping.stop()
  }

  return {
    /** Takes deliveries while there is capacity, and loads them, unless others are still being loaded. */
    fill: (): void => {
      if (isLoading) return
      const taken: Loading[] = []
      for (const queue of policy.next()) {
        const entry = isOwned(queue) ? queue.prefetch.take() : undefined
        // The queue has nothing to take, or its shard was given up.
        if (entry === undefined) policy.remove(queue)
        else taken.push(take(queue, entry))
      }
      if (taken.length > 0) void load(taken)
    },
    isIdle: () => underWay.size === 0 && !isLoading,
    /** Returns the latest time at which the current attempt of a delivery can end; `undefined` if there is none. */
    findAttempt: (deliveryId: string): number | undefined => {
      const found = underWay.get(deliveryId)
      if (found === undefined || found.state === 'loading') return undefined
      return found.state === 'settling' && unstored.has(found) ? undefined : found.endsAt
    },
    /** Returns the number of results that cannot be stored. */
    countUnstored: (): number =>
      [...unstored.values()].filter((failures) => failures >= persistentFailures).length,
    /** Returns the number of deliveries that cannot be loaded. */
    countUnreadable: (): number =>
      queues
        .list()
        .flatMap(({ unreadable }) => [...unreadable.values()])
        .filter((failures) => failures >= persistentFailures).length,
    /** Returns whether no delivery can be loaded. */
    isLoadFailing: (): boolean => failedLoads >= persistentFailures,
    retryNow,
    /** Lists all queues, including the queues of shards that are being left and still have attempts. */
    listQueues: (): Queue[] => {
      const attempts = [...underWay.values()].filter(({ state }) => state !== 'loading')
      return [...new Set([...queues.list(), ...attempts.map(({ queue }) => queue)])]
    },
    /** Stops the attempts of failing queues at once, and all others after `graceMs`. Waits until they have ended. */
    stop: async (own: readonly Queue[], graceMs: number): Promise<void> => {
      retryNow(own)
      stopNow(own.filter(({ pace }) => pace === 'failing'))
      const timeout = graceMs > 0 ? setTimeout(stopNow, graceMs, own) : stopNow(own)
      await loop.waitUntil(() => own.every(({ busy }) => busy === 0))
      clearTimeout(timeout ?? undefined)
    },
  }
}
