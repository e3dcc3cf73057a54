import type { DeliveryQueue, OwnedShard, WorkersView } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import { startBackgroundTimer } from '../values/clock.ts'

export type OwnershipContext = {
  readonly store: Pick<DeliveryQueue, 'renewWorker' | 'takeShards' | 'giveShards' | 'endWorker'>
  readonly clock: Clock
  readonly worker: string
  readonly getLeaseMs: () => number
  readonly scheduler: {
    /** Starts deliveries of shards that this worker has just taken. */
    take(shards: readonly OwnedShard[]): void
    /**
     * Starts no more attempts in a shard, and stops the running ones after `graceMs` at the latest. Resolves when they
     * have ended, and their results are written or, if the store fails, discarded.
     */
    leave(shard: number, graceMs: number): Promise<void>
  }
}

const givingGraceMs = 5_000

/** Maximum timer delay, in milliseconds. */
const maxTimerMs = 60_000

/** The fraction of its lease that a worker relies on. */
const ownShare = 0.75

/**
 * Takes shards for a worker, and gives them up.
 *
 * States of a shard, as a worker sees it: not owned, owned, being given up. Transitions:
 * - not owned → owned, by `takeShards`, with a new epoch: it has no living owner other than this worker, which has less
 *   than its share.
 * - owned → being given up: this worker has more than its share. No attempt starts. Running attempts get 5 s, unless
 *   their endpoint is failing. One shard at a time.
 * - being given up → not owned, by `giveShards`.
 * - owned or being given up → not owned: the lease has ended, the store has lost the worker, or another worker has
 *   taken the shard. Running attempts end at once, even within their 5 s. The endpoint may
 *   still be handling a request that was sent.
 * - owned → not owned, by `endWorker`, once the scheduler is closed.
 *
 * A worker must never start an attempt in a shard after its lease has ended. Therefore, it counts the lease
 * from just before it sends the renewal, and relies on only three quarters of it, in case its clock is set
 * back a little.
 */
export const createOwnership = (context: OwnershipContext) => {
  const { store, clock, worker, getLeaseMs, scheduler } = context
  const owned = new Map<number, number>()
  /** Shards in which attempts may still be running, but none may start. */
  const leaving = new Set<number>()
  let leaseEnd = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  let renewing: Promise<number> | undefined
  /** Number of times that the store has lost the worker. */
  let losses = 0

  const drop = (shard: number): void => {
    owned.delete(shard)
    const left = scheduler.leave(shard, 0)
    // A shard that is being given up leaves the set when its attempts have ended.
    if (leaving.has(shard)) return
    leaving.add(shard)
    void left.then(() => leaving.delete(shard))
  }

  const lose = (): void => {
    leaseEnd = -Infinity
    for (const shard of [...owned.keys()]) drop(shard)
  }

  /** Returns whether the lease is still valid. If it is not, the worker has lost all shards. */
  const check = (): boolean => {
    if (clock.now() < leaseEnd) return true
    if (owned.size > 0) lose()
    return false
  }

  /** Checks the lease when it ends, even if a renewal is under way. */
  const watch = (): void => {
    clearTimeout(timer)
    const leftMs = Math.min(leaseEnd - clock.now(), maxTimerMs)
    timer = startBackgroundTimer(
      () => {
        if (check()) watch()
      },
      Math.max(1, leftMs),
    )
  }

  const take = async (free: readonly OwnedShard[]): Promise<void> => {
    if (free.length === 0) return
    const taken = await store.takeShards({ worker, shards: free, now: clock.now() })
    for (const { shard, epoch } of taken) owned.set(shard, epoch)
    scheduler.take(taken)
  }

  const give = async (shard: number, epoch: number): Promise<void> => {
    leaving.add(shard)
    await scheduler.leave(shard, givingGraceMs)
    // Deletes the shard from `owned` first, so that no attempt starts in the meantime.
    const isStillOwned = owned.delete(shard)
    leaving.delete(shard)
    if (isStillOwned) await store.giveShards({ worker, shards: [{ shard, epoch }], now: clock.now() })
  }

  const adjust = async ({ workers, shards }: WorkersView): Promise<void> => {
    for (const { shard, epoch, owner } of shards) {
      const known = owned.get(shard)
      if (known === undefined || (owner === worker && known === epoch)) continue
      drop(shard)
    }
    const share = Math.ceil(shards.length / Math.max(1, workers.length))
    const free = shards.filter(
      ({ shard, owner }) => !owned.has(shard) && !leaving.has(shard) && (owner === null || owner === worker),
    )
    const wanted = free.slice(0, Math.max(0, share - owned.size))
    await take(wanted)
    // Shards that the store still assigns to this worker although it does not need them.
    const left = free.filter((each) => each.owner === worker && !wanted.includes(each))
    if (left.length > 0) await store.giveShards({ worker, shards: left, now: clock.now() })
    const [surplus] = owned.size > share && leaving.size === 0 ? owned : []
    if (surplus !== undefined) void give(...surplus).catch(() => {})
  }

  const renew = async (): Promise<number> => {
    const sentAt = clock.now()
    const leaseMs = getLeaseMs()
    check()
    const lossesBefore = losses
    const view = await store.renewWorker({ worker, leaseMs, now: sentAt })
    // A renewal that started before the loss no longer counts.
    if (losses > lossesBefore) return renew()
    leaseEnd = sentAt + leaseMs * ownShare
    watch()
    // The renewal may have taken longer than the lease.
    if (check()) await adjust(view)
    return view.renewInMs
  }

  return {
    /** Ends all attempts, because the store has lost this worker. */
    lose: (): void => {
      losses++
      lose()
    },
    check,
    /** Returns the epoch of a shard in which attempts may start; `undefined` for any other shard. */
    getEpoch: (shard: number) => (check() && !leaving.has(shard) ? owned.get(shard) : undefined),
    /** Renews the lease, and takes or gives up shards. Returns the milliseconds until the next renewal. */
    renew: (): Promise<number> => {
      renewing ??= renew().finally(() => {
        renewing = undefined
      })
      return renewing
    },
    /** Gives up all shards. Call it when all attempts have ended. */
    end: async (): Promise<void> => {
      await renewing?.catch(() => {})
      clearTimeout(timer)
      owned.clear()
      leaseEnd = -Infinity
      await store.endWorker(worker)
    },
  }
}
