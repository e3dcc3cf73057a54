import type { Pace, PendingDelivery, StoredQueue } from '../store.ts'
import { decideWait } from './explain-wait.ts'
import { createHeap, notInHeap } from './heap.ts'
import { createPrefetch } from './prefetch.ts'
import type { Loop } from './scheduler-loop.ts'
import type { Policy } from './start-policy.ts'
import type { Queue, QueueState, SchedulerContext } from './states.ts'

/**
 * Number of heads, and of retries, to aim for in total, and the maximum per queue, which holds at least one. Up to twice as many retries are held before they are
 * trimmed. Simulated runs lower it.
 */
export const prefetchLimits = { budget: 10_000, perQueue: 512 }

/** The queues of the owned shards, and the transitions between their states. */
export type Queues = ReturnType<typeof createQueues>

const idle: QueueState = { reason: 'idle' }
const forgotten: QueueState = { reason: 'forgotten' }

const getTime = ({ state }: Queue): number => ('until' in state ? state.until : Infinity)

export const createQueues = (
  context: SchedulerContext & { readonly policy: Policy; readonly loop: Loop },
) => {
  const { store, clock, policy, loop } = context
  const queues = new Map<string, Queue>()
  /** Queues that wait for a time. */
  const upcoming = createHeap<Queue>((left, right) => getTime(left) < getTime(right))
  /** Queues that need another page, in the order in which they began to need it. */
  const unread = new Set<Queue>()
  /** Shards that were taken but have not been read yet. */
  const newShards = new Set<number>()

  const getSize = (): number =>
    Math.max(1, Math.min(prefetchLimits.perQueue, Math.floor(prefetchLimits.budget / queues.size)))

  const decideState = (queue: Queue): QueueState => {
    const dueAt = queue.prefetch.nextAt()
    if (dueAt === Infinity) return idle
    const isFull = queue.busy >= policy.getMaximum(queue)
    return decideWait(clock.now(), { dueAt, startAt: policy.getStart(queue), isFull })
  }

  /** Moves a queue to the state that follows from its deliveries, after any change. */
  const place = (queue: Queue): void => {
    if (queue.state.reason === 'forgotten') return
    queue.state = decideState(queue)
    if (queue.prefetch.needsReading()) unread.add(queue)
    if (queue.state.reason === 'slot') policy.add(queue)
    else policy.remove(queue)
    if (getTime(queue) < Infinity) upcoming.put(queue)
    else upcoming.remove(queue)
    // Keeps a queue until its pace is written, because only this process knows it.
    if (queue.busy === 0 && queue.prefetch.isEmpty() && queue.pace === queue.stored.pace) forget(queue)
  }

  const forget = (queue: Queue): void => {
    queue.state = forgotten
    queues.delete(queue.id)
    unread.delete(queue)
    upcoming.remove(queue)
    policy.remove(queue)
  }

  const setPace = (queue: Queue, pace: Pace): void => {
    policy.remove(queue)
    queue.pace = pace
  }

  /** Returns the queue, which it creates if it is new; `undefined` if its shard is not owned, or after `close`. */
  const open = ({ queue: id, shard, organizationId, pace }: StoredQueue): Queue | undefined => {
    // A queue that is opened after `close` would keep its epoch when the shard is taken again.
    if (!loop.isOpen) return undefined
    const known = queues.get(id)
    if (known !== undefined) return known
    const epoch = context.getEpoch(shard)
    if (epoch === undefined) return undefined
    // If the shard has been read, a queue that is not in memory had no unfinished deliveries, so nothing is
    // left to read.
    const prefetch = createPrefetch({ queue: id, store, isEmpty: !newShards.has(shard), getSize })
    const queue: Queue = {
      id,
      shard,
      epoch,
      organizationId,
      prefetch,
      state: idle,
      pace,
      stored: { pace, at: -Infinity },
      busy: 0,
      attempts: 0,
      unstored: 0,
      unreadable: new Map(),
      pausedUntil: -Infinity,
      lookFrom: Infinity,
      slot: notInHeap,
    }
    queues.set(id, queue)
    return queue
  }

  const restart = (queue: Queue, stored: StoredQueue): void => {
    // Besides this worker, only changes of the subscription write its pace, and they reset it to `new`. Any other
    // stored value is older than the pace in memory.
    if (stored.pace === 'new' && queue.stored.pace !== 'new') {
      setPace(queue, 'new')
      queue.stored.pace = 'new'
    }
    policy.limits.get(queue.id)?.allowNext()
    queue.prefetch.restart()
  }

  /** Changes a queue, and updates its state, if its shard is owned. */
  const change = (stored: StoredQueue, apply: (queue: Queue) => void): void => {
    const queue = open(stored)
    if (queue === undefined) return
    apply(queue)
    place(queue)
  }

  return {
    place,
    forget,
    setPace,
    newShards,
    unread,
    list: () => [...queues.values()],
    add: (stored: StoredQueue, head: PendingDelivery): void =>
      change(stored, ({ prefetch }) => prefetch.add(head)),
    /**
     * Reads heads starting at a position, and again once the settlements that may have missed them are written. With 0,
     * reads the whole queue again.
     */
    lookFrom: (stored: StoredQueue, from: number): void =>
      change(stored, (queue) => {
        if (from === 0) return restart(queue, stored)
        if (context.isSettling()) queue.lookFrom = Math.min(queue.lookFrom, from)
        queue.prefetch.lookFrom(from)
      }),
    /** Places the queues whose time has come, and requests a step for the next time. */
    advance: (): void => {
      const now = clock.now()
      for (let queue = upcoming.peek(); queue !== undefined && getTime(queue) <= now; queue = upcoming.peek())
        place(queue)
      const next = upcoming.peek()
      if (next !== undefined) loop.wakeAt(getTime(next))
    },
  }
}
