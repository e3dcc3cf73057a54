import type {
  AttemptKey,
  AttemptVerdict,
  DeliveryQueue,
  LoadedDelivery,
  Pace,
  SettlementOutcome,
  Store,
} from '../store.ts'
import type { Clock } from '../values/clock.ts'
import type { Slot } from './capacity.ts'
import type { QueueWait } from './explain-wait.ts'
import type { HeapItem } from './heap.ts'
import type { Entry, Prefetch } from './prefetch.ts'
import type { StopSignal } from './stop-signal.ts'

// The states that the scheduler moves queues and deliveries between. See `scheduler.ts` for the transitions.

/**
 * The condition that the next delivery of a queue waits for; `idle` if none is held, and `forgotten` once the queue
 * is not scheduled.
 */
export type QueueState = QueueWait | { readonly reason: 'idle' | 'forgotten' }

export type Queue = HeapItem & {
  readonly id: string
  readonly shard: number
  readonly epoch: number
  readonly organizationId: string
  readonly prefetch: Prefetch
  state: QueueState
  pace: Pace
  /** The stored pace, and when the last write of another pace started. */
  readonly stored: { pace: Pace; at: number }
  /** Number of deliveries under way. */
  busy: number
  /** Number of deliveries in the state `attempting` or `settling`. */
  attempts: number
  /** Number of results that could not be stored yet. */
  unstored: number
  /** Deliveries that could not be loaded, with the number of tries. Meanwhile, each of the queue is loaded alone. */
  readonly unreadable: Map<string, number>
  /** The time until which no attempt starts, because a result could not be stored. */
  pausedUntil: number
  /** The position from which to read again, once the current settlements are written. */
  lookFrom: number
}

/** The data for its attempt is being read. */
export type Loading = {
  readonly state: 'loading'
  readonly queue: Queue
  readonly entry: Entry
  readonly key: AttemptKey
  readonly slot: Slot
}

export type Attempting = Omit<Loading, 'state'> & {
  readonly state: 'attempting'
  readonly attempted: LoadedDelivery
  /** Stops the attempt without a result. */
  readonly stopping: StopSignal
  /** The latest time at which the attempt can end. */
  readonly endsAt: number
}

/** Its outcome is being written. */
export type Settling = Omit<Attempting, 'state'> & {
  readonly state: 'settling'
  readonly result: AttemptVerdict
  /** The new pace of the subscription; `undefined` keeps the stored one. */
  readonly pace: Pace | undefined
}

/** A delivery under way. */
export type UnderWay = Loading | Attempting | Settling

/** An attempt that has ended. If it has no `result`, it was stopped, or failed because of this machine. */
export type Ended = { readonly result: AttemptVerdict | undefined; readonly isSlow: boolean }

export type SchedulerContext = {
  readonly store: DeliveryQueue & Pick<Store, 'nextDueAt'>
  readonly clock: Clock
  readonly concurrency: number
  readonly perSubscription: number
  readonly sharesFairly: boolean
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Returns the epoch of a shard in which attempts may start. */
  getEpoch(shard: number): number | undefined
  attempt(delivery: Attempting): Promise<Ended>
  /** Writes the outcome of an attempt. With `isAlone`, not in a transaction with others. */
  settle(delivery: Settling, isAlone: boolean): Promise<SettlementOutcome>
  /** Returns whether settlements are being written. */
  isSettling(): boolean
  readonly onError: (error: unknown) => void
}
