import type { HealthEvent } from '@wabakit/contract'
import type { AttemptResult, DeliveryRecord, DisabledReason } from './records.ts'
import type { LoadedDelivery, Pace } from './store-requests.ts'

// The messages between a scheduler and a store

/**
 * A subscription as a scheduler sees it. `queue` identifies it across the whole store, and `shard` is derived from it:
 * a number from 0 to `shards − 1`.
 */
export type StoredQueue = {
  readonly queue: string
  readonly shard: number
  readonly organizationId: string
  readonly pace: Pace
}

/**
 * An unfinished delivery as a scheduler holds it. `position` is its place in its queue, in the order of
 * events. `version` counts its settlements and resends: work that started at an earlier version has no
 * effect.
 */
export type PendingDelivery = {
  readonly id: string
  readonly position: number
  readonly dueAt: number
  readonly version: number
}

/** A shard that a worker owns. Its epoch increases whenever a worker takes it. */
export type OwnedShard = { readonly shard: number; readonly epoch: number }

/** A delivery that is about to be attempted. */
export type AttemptKey = OwnedShard & Pick<PendingDelivery, 'id' | 'version'>

/**
 * The verdict on an attempt.
 * - `delivered`: the attempt succeeded.
 * - `retry`: the attempt failed, and the next one is due after `delayMs`. With `releasesLane`, the delivery no longer
 *   blocks its lane.
 * - `deferred`: the endpoint is already handling the event (409 with `Retry-After`). The next attempt is due after
 *   `delayMs`. This counts neither as a success nor as a failure.
 * - `exhausted`: the last attempt failed.
 * - `gone`: the endpoint responded with 410.
 * - `refused`: nothing was sent, because the endpoint must not get the event. The delivery is skipped. This counts
 *   neither as a success nor as a failure.
 */
export type AttemptVerdict =
  | { readonly kind: 'delivered' | 'exhausted' | 'gone' | 'refused'; readonly attempt: AttemptResult }
  | {
      readonly kind: 'retry'
      readonly attempt: AttemptResult
      readonly delayMs: number
      readonly releasesLane: boolean
    }
  | { readonly kind: 'deferred'; readonly attempt: AttemptResult; readonly delayMs: number }

/** An attempt that has ended, with the verdict to write. */
export type Settlement = AttemptKey & {
  readonly now: number
  /** The delivery as it was loaded. */
  readonly delivery: DeliveryRecord
  readonly result: AttemptVerdict
  /** The new pace of the subscription; omit it to keep the stored one. */
  readonly pace?: Pace | undefined
  /** Time without a successful attempt after which a failing subscription is disabled, in milliseconds. */
  readonly failingLimitMs: number
}

/** The changes that a settlement made; none if it is `stale`. */
export type SettlementOutcome =
  | { readonly outcome: 'stale' }
  | {
      readonly outcome: 'settled'
      /** The delivery after the settlement. */
      readonly delivery: DeliveryRecord
      readonly version: number
      /** Set if this settlement disabled the subscription. */
      readonly disabled: DisabledReason | null
      /** The health events for operators, stored in the same transaction. */
      readonly health: readonly HealthEvent[]
      /** The next head of its lane, if the delivery is finished or no longer blocks the lane. */
      readonly next: PendingDelivery | null
    }

/**
 * A change to a queue, after the commit.
 * - `head`: this delivery was added, and was the head of its lane.
 * - `appended`: there are new deliveries at or after a position.
 * - `changed`: the queue changed in another way, and must be read again from the start.
 * - `missed`: changes were missed, so any queue may have changed.
 * - `lost`: the worker is no longer registered, and has lost all its shards: its attempts must end at once.
 */
export type QueueChange =
  | { readonly kind: 'head'; readonly state: StoredQueue; readonly head: PendingDelivery }
  | { readonly kind: 'appended'; readonly state: StoredQueue; readonly from: number }
  | { readonly kind: 'changed'; readonly state: StoredQueue }
  | { readonly kind: 'missed' | 'lost' }

/** Selects queues to read. @inline */
export type QueuesRequest = {
  readonly shards: readonly number[]
  /** `cursor` of an earlier page. Omit it to read all queues. */
  readonly since?: string | undefined
  readonly limit: number
}

/** Queues with added or changed deliveries, and the positions from which to read them. */
export type QueuesPage = {
  readonly queues: ReadonlyArray<{
    readonly state: StoredQueue
    /** 0 if the queue must be read again from its start. */
    readonly from: number
  }>
  readonly cursor: string
  readonly isMore: boolean
}

/** The heads among the examined deliveries. The last examined delivery is at position `after`. */
export type HeadsPage = {
  readonly heads: readonly PendingDelivery[]
  readonly after: number
  readonly isEnd: boolean
}

/** The deliveries of a queue that were attempted before, by due time. */
export type RetriesPage = { readonly retries: readonly PendingDelivery[]; readonly isEnd: boolean }

/** Shards, with the epochs that the worker knows. @inline */
export type ShardsRequest = {
  readonly worker: string
  readonly shards: readonly OwnedShard[]
  readonly now: number
}

/** All workers and shards. */
export type WorkersView = {
  /** The workers that are alive. */
  readonly workers: readonly string[]
  /** All shards. `owner` is `null` if it is not alive. */
  readonly shards: ReadonlyArray<OwnedShard & { readonly owner: string | null }>
  /** Time until the next renewal, in milliseconds. */
  readonly renewInMs: number
}

/**
 * The part of a store that a scheduler uses. It keeps deliveries, and makes only one decision, which depends on the
 * rows: which delivery is the **head** of a lane. The head is the first delivery of the lane that was never attempted
 * (since it was created or sent again), unless an earlier unfinished delivery of the lane blocks it. A delivery blocks
 * the lane if it was attempted and has not released the lane. Until it is finished, it also blocks each delivery whose
 * event `waitsFor` its event, even if it has released the lane. A delivery that was attempted has its own due time, which
 * does not depend on its lane.
 *
 * Only the scheduler knows which deliveries are being attempted. In lists, such a delivery is `pending`, like heads and
 * deliveries that were attempted. All others are `waiting`. A head's `dueAt` is the time of its event, or of the
 * resend.
 *
 * **Order.** Within a lane, positions are committed in order. Across lanes, they are not: a transaction that took its
 * position early may be committed late.
 *
 * **Fences.** Loading and settling do nothing for a delivery that has another version, or if its shard has
 * another epoch. Therefore, a worker that acts on outdated information, such as an old page or a shard that
 * it has lost, does no harm.
 */
export type DeliveryQueue = {
  /** Number of shards. */
  readonly shards: number
  /**
   * Lists queues with unfinished deliveries. With `since`, lists the queues whose changes were not visible to the read
   * that returned the cursor, even if the changes were committed late. It may also list other queues.
   */
  readQueues(request: QueuesRequest): Promise<QueuesPage>
  /**
   * Reads heads of a queue in order. Examines up to `limit` unattempted deliveries after a position. A disabled or
   * removed queue has no heads.
   */
  readHeads(request: {
    readonly queue: string
    readonly after: number
    readonly limit: number
  }): Promise<HeadsPage>
  /** Reads the deliveries of a queue that were attempted before and are not finished. */
  readRetries(request: { readonly queue: string; readonly limit: number }): Promise<RetriesPage>
  /**
   * Returns the current data for attempts, in the same order. The entry of a delivery that must not be
   * attempted is `undefined`: it is finished or removed, has another version, its subscription is disabled or
   * removed, or its shard has another epoch.
   */
  loadDeliveries(keys: readonly AttemptKey[]): Promise<ReadonlyArray<LoadedDelivery | undefined>>
  /**
   * Writes the outcomes of attempts in one transaction. Each belongs to a different delivery, and a worker
   * never calls this again before its previous call has ended. An outcome is `stale`, and nothing is written
   * for it, if the delivery is gone or has another version, or its shard has another epoch. Therefore, a call
   * whose outcome is unknown can be repeated.
   *
   * - If the attempt failed, the subscription's `failingSince` is set if it is `null`. If it is then at least
   *   `failingLimitMs` ago, the subscription is disabled as `failing`. A success sets `failingSince` to `null`.
   * - `gone` disables the subscription at once. The unfinished deliveries of a disabled subscription become
   *   `skipped`. If there are many, this ends after the call.
   * - The events about the subscription's health are published in the same transaction, as `decideSettlement`
   *   decides them.
   * - `deferred` leaves `failures` and `failingSince` as they are, and increases `deferrals` and `deferredMs`.
   * - In a disabled subscription, `gone`, `retry` and `deferred` end as `skipped`. A delivery that became
   *   `skipped` while it was attempted keeps its version: it ends as `delivered` or stays `skipped`.
   * - `next` is determined after the whole batch, from everything that was committed before the call.
   */
  settleDeliveries(settlements: readonly Settlement[]): Promise<SettlementOutcome[]>
  /**
   * Calls `listener` after transactions of any process. Calls may be merged, late or lost, so workers also call
   * `readQueues` periodically. A delivery that was committed while a settlement of its lane was being written may be
   * missing from `next`, so it must be reported as `appended`.
   *
   * @returns a function that unsubscribes.
   */
  listen(listener: (change: QueueChange) => void): () => void

  /**
   * Renews a worker's lease for another `leaseMs`, and returns the living workers and the owners of all shards. A store
   * may notice sooner that a worker is dead.
   */
  renewWorker(renewal: {
    readonly worker: string
    readonly leaseMs: number
    readonly now: number
  }): Promise<WorkersView>
  /**
   * Takes the shards that still have this epoch and have no living owner other than this worker, which must be alive itself.
   * Waits for settlements in them that are being written.
   *
   * @returns the shards that were taken, with their new epochs.
   */
  takeShards(request: ShardsRequest): Promise<OwnedShard[]>
  /** Gives up shards. Does not affect shards of other workers. */
  giveShards(request: ShardsRequest): Promise<void>
  /** Forgets a worker, and gives up all its shards. */
  endWorker(worker: string): Promise<void>
}
