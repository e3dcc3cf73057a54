import type { QueueChange } from '../store.ts'
import { createReader } from './page-reader.ts'
import { createQueues } from './queues.ts'
import { createLoop } from './scheduler-loop.ts'
import { createPolicy } from './start-policy.ts'
import type { SchedulerContext } from './states.ts'
import { createUnderWay } from './under-way.ts'

/**
 * Decides when each delivery is attempted. No other code decides this: stores only keep deliveries, and determine the
 * heads of lanes (see {@link DeliveryQueue}).
 *
 * A delivery is *stored* (only in the store: it is not the head of its lane, or is not prefetched), *held*
 * (prefetched), or under way: *loading*, *attempting* or *settling*.
 *
 * | transition | function | when |
 * |---|---|---|
 * | stored → held | `Prefetch` | a page contains it, a change reports it, or a settlement returns it as `next` of its lane |
 * | held → stored | `Prefetch` | it does not fit, or its queue is read again |
 * | held → loading | `take` | it is due, its queue is next, and there is capacity |
 * | loading → attempting | `begin` | it was loaded, and may still start |
 * | loading, attempting → held | `putBack` | it may not start any more, the store did not respond, or its attempt was stopped or failed because of this machine |
 * | loading → held | `setAside` | it could not be loaded although the store responds: it is tried again after a pause, and the others go on |
 * | attempting → settling | `end` | its attempt has a result |
 * | settling → held, stored, finished | `complete` | its outcome is written; a retry is held if it fits |
 * | settling → settling | `pauseQueue` | its result could not be stored: it is written again after a pause, in which no attempt of its queue starts |
 * | loading → stored | `discardForNow` | it has changed: its queue is read again after a pause |
 * | settling → stored | `discard` | its settlement was stale, or could not be written before this worker lost its shard: its queue is read again |
 *
 * The state of a queue shows why its next delivery waits, as decided by `decideWait` and shown to users by
 * `explainWait`: a time (`retry`, `limit`), other deliveries of the queue (`endpoint`), or capacity (`slot`). A queue
 * that holds no delivery is `idle`. After any change of its deliveries, `place` moves the queue to its new state. A
 * queue is forgotten when no delivery is held, under way or unread, and its pace is written, or when its shard is left.
 *
 * These must never happen:
 * - A delivery is under way twice.
 * - An attempt starts while its queue has `perSubscription` others, or, if the queue is new or failing, any other whose
 *   result is not just waiting to be stored. With `sharesFairly: false`, every queue counts as quick.
 * - More attempts to a subscription start than its `maxAttemptsPerSecond` allows, outside of a drain. When another
 *   worker takes over, the count starts over.
 * - An attempt starts in a shard that is not owned, or between `close` and `open`.
 * - A queue has a due delivery, and nothing will start it: free capacity, the end of another delivery, a page, or the
 *   time at which its limit or its pause ends.
 * - More deliveries are held than a few times `prefetchLimits.budget`, or than a few for each queue, however large the
 *   backlog is.
 */
export const createScheduler = (context: SchedulerContext) => {
  const loop = createLoop({
    ...context,
    step: () => {
      reader.read()
      queues.advance()
      deliveries.fill()
      // The deliveries that were taken may have made room for others.
      reader.read()
    },
    isDrained: () => deliveries.isIdle() && !reader.isReading() && policy.isEmpty(),
  })
  // A drain does not wait for a timer to start attempts, because a timer never fires while a test's clock is stopped.
  const policy = createPolicy({ ...context, isPaced: () => !loop.isDraining(), onFree: loop.request })
  const queues = createQueues({ ...context, policy, loop })
  const reader = createReader({ ...context, policy, queues, loop })
  const deliveries = createUnderWay({ ...context, policy, queues, reader, loop })

  return {
    take: reader.take,
    sweep: reader.sweep,
    findAttempt: deliveries.findAttempt,
    countUnstored: deliveries.countUnstored,
    countUnreadable: deliveries.countUnreadable,
    isLoadFailing: deliveries.isLoadFailing,
    /**
     * Stops the attempts in a shard: the attempts of failing queues at once, and all others after `graceMs`.
     * Forgets the shard. Resolves when no attempt is left.
     */
    leave: async (shard: number, graceMs: number): Promise<void> => {
      queues.newShards.delete(shard)
      const own = deliveries.listQueues().filter((queue) => queue.shard === shard)
      for (const queue of own) queues.forget(queue)
      await deliveries.stop(own, graceMs)
    },
    onChange: (change: QueueChange): void => {
      if (change.kind === 'head') queues.add(change.state, change.head)
      else if (change.kind === 'appended') queues.lookFrom(change.state, change.from)
      else if (change.kind === 'changed') queues.lookFrom(change.state, 0)
      else if (change.kind === 'missed') reader.miss()
      loop.request()
    },
    open: (): void => {
      loop.isOpen = true
      loop.request()
    },
    /** Starts no more attempts. Stops the running ones as `leave` does. */
    close: async (graceMs: number): Promise<void> => {
      loop.isOpen = false
      const own = deliveries.listQueues()
      await deliveries.stop(own, graceMs)
      for (const queue of own) queues.forget(queue)
      reader.close()
      loop.stopTimer()
    },
    /** Resolves when no delivery of an owned shard is due and no attempt is running. Rejects if the store failed. */
    drain: (): Promise<void> => {
      const drained = loop.drain()
      const own = deliveries.listQueues()
      deliveries.retryNow(own)
      for (const queue of own) queues.place(queue)
      void reader.sweep()
      loop.request()
      return drained
    },
  }
}
