import type { OwnedShard } from '@wabakit/core'
import type { Invariant, InvariantContext } from './invariant.ts'

const oneAttempt = 'one attempt at a time per delivery'
const oneOwner = 'only the owner of a shard attempts and settles its deliveries'
const inTime = "a worker's attempts have ended when its lease expires"
const due = 'no delivery is attempted before it is due'
const slots = 'a subscription has no more concurrent attempts than allowed'
const carefully = 'a failing subscription has one attempt at a time'
const notCanceled = 'no attempt starts for a canceled delivery until it is sent again'
const never = 'no attempt starts for a disabled or removed subscription'

/** Maximum number of concurrent attempts per subscription. */
const perSubscription = 8

/** Maximum error of a server's clock, which follows steps of the wall clock of less than a minute, in milliseconds. */
const driftMs = 12_000

/**
 * Maximum time for which a worker may still start attempts after it has lost a shard, in milliseconds. It may learn of
 * the loss late because it was cut off or its clock was set back.
 */
const lossNoticeMs = 100

/**
 * Maximum time from a failure to the start of an attempt whose delivery was loaded before the failure, in milliseconds.
 */
const loadToStartMs = 2_000

/** Maximum time until a resumed process notices that its lease or session has ended, in milliseconds. */
const resumeNoticeMs = 1_000

type Attempt = { readonly server: string; readonly subscriptionId: string; isOrphaned: boolean }

/** Checks that only the owner of a delivery attempts it, and only when the delivery is due. */
export const createAttemptsInvariant = ({ plan, violate, now }: InvariantContext): Invariant => {
  // On SQLite, a server that starts during a clock step has the wrong time.
  const hasTrueTime = plan.engine === 'memory' || plan.faults.every(({ fault }) => fault !== 'step the clock')
  /** Attempts in progress, by delivery. */
  const attempts = new Map<string, Attempt[]>()
  const epochs = new Map<number, { readonly epoch: number; readonly server: string; readonly at: number }>()
  const shards = new Map<string, number>()
  /** The time until which a server is excused, because it is paused or was just resumed. */
  const excusedUntil = new Map<string, number>()
  /** The time of the latest failure of each subscription, by server. */
  const failingSince = new Map<string, Map<string, number>>()
  /** The subscriptions that users have disabled or removed. */
  const disabled = new Set<string>()
  /** The number of changes that have started but not succeeded, by subscription. */
  const changing = new Map<string, number>()
  /** The subscriptions that one change enabled while another change was in progress. */
  const unclear = new Set<string>()
  const canceled = new Set<string>()
  /** The number of changes in progress that may resend canceled deliveries. */
  let resets = 0

  const isOwner = (server: string, { shard, epoch }: OwnedShard): boolean => {
    const owner = epochs.get(shard)
    return owner?.server === server && owner.epoch === epoch
  }
  const isAwake = (server: string): boolean => (excusedUntil.get(server) ?? 0) < now()
  const listOthers = (server: string, own: readonly Attempt[]): Attempt[] =>
    own.filter((each) => each.server !== server)

  return {
    on: {
      taken: ({ server, owned }) => {
        const before = epochs.get(owned.shard)
        epochs.set(owned.shard, { epoch: owned.epoch, server, at: now() })
        if (before === undefined) return
        const left = [...attempts].flatMap(([id, own]) =>
          own.filter((each) => shards.get(id) === owned.shard && each.server === before.server),
        )
        if (left.some(({ isOrphaned }) => !isOrphaned) && isAwake(before.server))
          violate(
            inTime,
            `${server} takes shard ${owned.shard}, in which ${before.server} is still making attempts`,
          )
        failingSince.delete(server)
        // These attempts end soon, unless the process is paused. The new owner does not wait for them.
        for (const each of left) each.isOrphaned = true
      },
      loaded: ({ server, key, attempted: { delivery } }) => {
        shards.set(delivery.id, key.shard)
        if (!isOwner(server, key))
          violate(oneOwner, `${server} loads ${delivery.id}, whose shard it has lost`)
        const earlyMs = (delivery.dueAt ?? 0) - now()
        if (hasTrueTime && earlyMs > driftMs)
          violate(due, `${server} attempts ${delivery.id} ${earlyMs} ms early`)
        if (canceled.has(delivery.id)) violate(notCanceled, `${server} attempts ${delivery.id}`)
        if (disabled.has(delivery.subscriptionId))
          violate(never, `${server} attempts ${delivery.id} for ${delivery.subscriptionId}`)
      },
      settled: ({ server, settlement, outcome }) => {
        if (outcome.outcome === 'settled' && !isOwner(server, settlement))
          violate(oneOwner, `${server} settles ${settlement.id}, whose shard it has lost`)
      },
      'attempt started': ({ server, attempted }) => {
        const { id, subscriptionId } = attempted.delivery
        const others = attempts.get(id) ?? []
        const owner = epochs.get(shards.get(id) ?? -1)
        const isLost = owner !== undefined && owner.server !== server && now() - owner.at > lossNoticeMs
        if (isLost && isAwake(server))
          violate(oneOwner, `${server} attempts ${id}, whose shard ${owner.server} has taken`)
        // A resumed worker may start an attempt before it learns that it has lost the shard.
        for (const other of others.filter((each) => !each.isOrphaned && !isLost))
          violate(oneAttempt, `${server} attempts ${id}, which ${other.server} is attempting`)
        attempts.set(id, [...others, { server, subscriptionId, isOrphaned: isLost }])
        const all = [...attempts.values()].flat()
        const own = all.filter((each) => each.subscriptionId === subscriptionId && !each.isOrphaned)
        if (own.length > perSubscription)
          violate(slots, `${subscriptionId} has ${own.length} concurrent attempts`)
        const isFailing = now() - (failingSince.get(server)?.get(subscriptionId) ?? Infinity) > loadToStartMs
        if (plan.sharesFairly && isFailing && own.filter((each) => each.server === server).length > 1)
          violate(carefully, `${server} makes a second concurrent attempt for ${subscriptionId}`)
      },
      'attempt ended': ({ server, attempted: { delivery }, response }) => {
        attempts.set(delivery.id, listOthers(server, attempts.get(delivery.id) ?? []))
        if (response === undefined || response.status === 409) return
        const failing = failingSince.get(server) ?? new Map<string, number>()
        failingSince.set(server, failing)
        if (response.status < 300) failing.delete(delivery.subscriptionId)
        else failing.set(delivery.subscriptionId, now())
      },
      canceled: ({ deliveryId }) => {
        if (resets === 0) canceled.add(deliveryId)
      },
      reset: ({ phase }) => {
        resets += phase === 'begins' ? 1 : -1
        canceled.clear()
      },
      paused: ({ server }) => excusedUntil.set(server, Infinity),
      resumed: ({ server }) => excusedUntil.set(server, now() + resumeNoticeMs),
      'server ended': ({ server }) => {
        excusedUntil.delete(server)
        failingSince.delete(server)
        for (const [id, own] of attempts) attempts.set(id, listOthers(server, own))
      },
      'subscription changing': ({ id }) => {
        changing.set(id, (changing.get(id) ?? 0) + 1)
        disabled.delete(id)
      },
      'subscription changed': ({ id, change }) => {
        const left = (changing.get(id) ?? 0) - 1
        changing.set(id, left)
        // If changes overlap, their order is unknown.
        if (left > 0 && change === 'enable') unclear.add(id)
        if (left !== 0) return
        const isClear = !unclear.delete(id)
        if (isClear && (change === 'disable' || change === 'remove')) disabled.add(id)
      },
    },
  }
}
