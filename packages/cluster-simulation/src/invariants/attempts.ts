import type { OwnedShard } from '@wabakit/core'
import type { Rule, RuleContext } from './rule.ts'

const oneAttempt = 'one attempt at a time per delivery'
const oneOwner = 'only the owner of a shard attempts and settles its deliveries'
const inTime = 'the attempts of a worker have ended when its lease ends'
const due = 'no delivery is attempted before it is due'
const slots = 'a subscription has no more concurrent attempts than allowed'
const carefully = 'a failing subscription has one attempt at a time'
const notCanceled = 'no attempt starts for a canceled delivery until it is sent again'
const never = 'no attempt starts for a disabled or removed subscription'

/** Maximum number of concurrent attempts per subscription. */
const perSubscription = 8

/** Maximum error of a clock that moves in short steps, in milliseconds. */
const driftMs = 12_000

/**
 * Maximum time, in milliseconds, that a worker may believe it owns a shard that another worker took while the first was
 * cut off or its clock was set back.
 */
const believesMs = 100

/** Maximum time, in milliseconds, between a failure and the start of an attempt that was loaded before it. */
const beginsMs = 2_000

/** Maximum time until a resumed process notices that its lease or session has ended, in milliseconds. */
const awakeMs = 1_000

type Attempt = { readonly server: string; readonly subscriptionId: string; isOrphaned: boolean }

/** Checks that each delivery is attempted only by its owner and only when it is due. */
export const createAttemptsRule = ({ plan, violate, now }: RuleContext): Rule => {
  // While a server on SQLite is down, its clock follows the wall clock.
  const hasTrueTime = plan.engine === 'memory' || plan.faults.every(({ fault }) => fault !== 'step the clock')
  const attempts = new Map<string, Attempt[]>()
  const epochs = new Map<number, { readonly epoch: number; readonly server: string; readonly at: number }>()
  /** Shards of loaded deliveries. */
  const shards = new Map<string, number>()
  /** Until when each server is excused because it is paused or was just resumed. */
  const stillUntil = new Map<string, number>()
  /** Times of the latest failures of subscriptions, as seen by each server. */
  const failingSince = new Map<string, Map<string, number>>()
  /** Subscriptions that users have disabled or removed. */
  const disabled = new Set<string>()
  /** Number of changes that have started but not succeeded, by subscription. */
  const changing = new Map<string, number>()

  /** Subscriptions that one change enabled while another was under way. */
  const unclear = new Set<string>()

  const isOwner = (server: string, { shard, epoch }: OwnedShard): boolean => {
    const owner = epochs.get(shard)
    return owner?.server === server && owner.epoch === epoch
  }
  const isAwake = (server: string): boolean => (stillUntil.get(server) ?? 0) < now()
  const listAll = (): Attempt[] => [...attempts.values()].flat()
  const end = (server: string, deliveryId?: string): void => {
    for (const [id, own] of attempts) {
      if (deliveryId === undefined || id === deliveryId)
        attempts.set(
          id,
          own.filter((each) => each.server !== server),
        )
    }
  }
  /**
   * Marks attempts of a server that has lost their shards. They end soon unless the process is paused. Other workers do
   * not wait for them.
   */
  const orphan = (server: string, isOrphaned: (deliveryId: string) => boolean): void => {
    for (const [id, own] of attempts) {
      for (const each of own) if (each.server === server && isOrphaned(id)) each.isOrphaned = true
    }
  }

  const canceled = new Set<string>()
  /** Number of changes in progress that may send canceled deliveries again. */
  let resets = 0

  return {
    observe: (observation) => {
      switch (observation.kind) {
        case 'taken': {
          const { server, owned } = observation
          const before = epochs.get(owned.shard)
          epochs.set(owned.shard, { epoch: owned.epoch, server, at: now() })
          if (before === undefined) break
          const own = [...attempts]
            .filter(([id]) => shards.get(id) === owned.shard)
            .flatMap(([, each]) => each)
          const isLate = own.some((each) => each.server === before.server && !each.isOrphaned)
          if (isLate && isAwake(before.server))
            violate(
              inTime,
              `${server} takes shard ${owned.shard}, in which ${before.server} still makes attempts`,
            )
          failingSince.delete(server)
          orphan(before.server, (id) => shards.get(id) === owned.shard)
          break
        }
        case 'loaded': {
          const { server, key, attempted } = observation
          const { delivery } = attempted
          shards.set(delivery.id, key.shard)
          if (!isOwner(server, key))
            violate(oneOwner, `${server} loads ${delivery.id}, whose shard it has lost`)
          const earlyMs = (delivery.dueAt ?? 0) - now()
          if (hasTrueTime && earlyMs > driftMs)
            violate(due, `${server} attempts ${delivery.id} ${earlyMs} ms early`)
          if (canceled.has(delivery.id)) violate(notCanceled, `${server} attempts ${delivery.id}`)
          if (disabled.has(delivery.subscriptionId))
            violate(never, `${server} attempts ${delivery.id} for ${delivery.subscriptionId}`)
          break
        }
        case 'settled': {
          const { server, settlement, outcome } = observation
          if (outcome.outcome === 'settled' && !isOwner(server, settlement))
            violate(oneOwner, `${server} settles ${settlement.id}, whose shard it has lost`)
          break
        }
        case 'attempt began': {
          const { server, attempted } = observation
          const { id, subscriptionId } = attempted.delivery
          const others = (attempts.get(id) ?? []).filter((each) => !each.isOrphaned)
          for (const other of others)
            violate(oneAttempt, `${server} attempts ${id}, which ${other.server} is attempting`)
          const owner = epochs.get(shards.get(id) ?? -1)
          const isLost = owner !== undefined && owner.server !== server && now() - owner.at > believesMs
          if (isLost && isAwake(server))
            violate(oneOwner, `${server} attempts ${id}, whose shard ${owner.server} has taken`)
          attempts.set(id, [...(attempts.get(id) ?? []), { server, subscriptionId, isOrphaned: false }])
          const own = listAll().filter((each) => each.subscriptionId === subscriptionId && !each.isOrphaned)
          if (own.length > perSubscription)
            violate(slots, `${subscriptionId} has ${own.length} concurrent attempts`)
          const since = failingSince.get(server)?.get(subscriptionId) ?? Infinity
          if (
            plan.sharesFairly &&
            now() - since > beginsMs &&
            own.filter((each) => each.server === server).length > 1
          )
            violate(carefully, `${server} makes a second concurrent attempt for ${subscriptionId}`)
          break
        }
        case 'attempt ended': {
          const { server, attempted, response } = observation
          end(server, attempted.delivery.id)
          if (response === undefined || response.status === 409) break
          const failing = failingSince.get(server) ?? new Map<string, number>()
          failingSince.set(server, failing)
          if (response.status < 300) failing.delete(attempted.delivery.subscriptionId)
          else failing.set(attempted.delivery.subscriptionId, now())
          break
        }
        case 'canceled':
          if (resets === 0) canceled.add(observation.deliveryId)
          break
        case 'reset':
          resets += observation.phase === 'begins' ? 1 : -1
          canceled.clear()
          break
        case 'stands still':
          stillUntil.set(observation.server, Infinity)
          break
        case 'goes on':
          stillUntil.set(observation.server, now() + awakeMs)
          break
        case 'server ended':
          stillUntil.delete(observation.server)
          failingSince.delete(observation.server)
          end(observation.server)
          break
        case 'subscription changed': {
          const left = (changing.get(observation.id) ?? 0) - 1
          changing.set(observation.id, left)
          // If two changes overlap, it is unknown which one was last.
          if (left > 0 && observation.change === 'enable') unclear.add(observation.id)
          if (left !== 0) break
          const isClear = !unclear.delete(observation.id)
          if (isClear && (observation.change === 'disable' || observation.change === 'remove'))
            disabled.add(observation.id)
          break
        }
        case 'subscription changing':
          changing.set(observation.id, (changing.get(observation.id) ?? 0) + 1)
          disabled.delete(observation.id)
      }
    },
  }
}
