import type { DeliveryRecord } from '@wabakit/core'
import type { DeliveryKey } from '../delivery-id.ts'
import type { Undo } from './undo.ts'

/** The state of a delivery in its lane; `null` when it has left the lane. */
export type LaneState = 'holding' | 'passable' | null

/** A claimed delivery. */
export type Lease = DeliveryKey & {
  readonly claimId: string
  /** Time from which the delivery can be claimed again, as Unix time in milliseconds. */
  readonly until: number
  /** The delivery since it was claimed. If it was skipped in the meantime, the claim can still be settled. */
  readonly delivery: DeliveryRecord
  readonly laneState: LaneState
}

/** The claims, in memory: only one process uses the file, and its claims end with it. */
export type Leases = {
  add(lease: Lease): void
  find(key: DeliveryKey): Lease | undefined
  remove(key: DeliveryKey): void
  /** Records that the deliveries of a subscription were skipped at a time. */
  skip(subscription: number, finishedAt: number): void
  /** Removes the leases of subscriptions that are gone. */
  removeUnless(exists: (subscription: number) => boolean): void
  /** Returns the leases of a subscription, without those of skipped deliveries. */
  list(subscription: number): readonly Lease[]
  /** Counts the leases that end after a time, without those of skipped deliveries. */
  count(now: number): number
}

/** @param undo - receives how to revert each change. */
export const createLeases = (undo: Undo): Leases => {
  const leases = new Map<number, Map<number, Lease>>()

  const put = (lease: Lease): void => {
    const own = leases.get(lease.subscription) ?? new Map<number, Lease>()
    leases.set(lease.subscription, own.set(lease.event, lease))
  }
  const find: Leases['find'] = ({ event, subscription }) => leases.get(subscription)?.get(event)
  const drop = ({ event, subscription }: DeliveryKey): void => {
    const own = leases.get(subscription)
    own?.delete(event)
    if (own?.size === 0) leases.delete(subscription)
  }
  const list: Leases['list'] = (subscription) =>
    [...(leases.get(subscription)?.values() ?? [])].filter(({ delivery }) => delivery.status !== 'skipped')

  return {
    find,
    remove: (key) => {
      const lease = find(key)
      if (lease !== undefined) undo.push(() => put(lease))
      drop(key)
    },
    list,
    removeUnless: (exists) => {
      for (const [subscription, own] of leases) {
        if (exists(subscription)) continue
        undo.push(() => leases.set(subscription, own))
        leases.delete(subscription)
      }
    },
    add: (lease) => {
      const before = find(lease)
      undo.push(() => (before === undefined ? drop(lease) : put(before)))
      put(lease)
    },
    skip: (subscription, finishedAt) => {
      for (const lease of list(subscription)) {
        undo.push(() => put(lease))
        const delivery = { ...lease.delivery, status: 'skipped', dueAt: null, finishedAt } as const
        put({ ...lease, delivery, laneState: null })
      }
    },
    count: (now) =>
      [...leases.keys()].reduce(
        (sum, subscription) => sum + list(subscription).filter(({ until }) => until > now).length,
        0,
      ),
  }
}
