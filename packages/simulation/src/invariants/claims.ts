import type { Rule, RuleContext } from './rule.ts'

const oneAttempt = 'one attempt at a time per delivery'
const oneHolder = 'a claim belongs to one worker until it is settled, or its lease is over'
/** How long a claim lasts, in milliseconds. */
const leaseMs = 60_000

const due = 'nothing is attempted before it is due'

const slots = 'a subscription has no more claims under lease than allowed'
const takeover = 'claims of a dead worker are taken over'

/** Time in which others take over when a worker has died and nothing else goes wrong, in milliseconds. */
const takeoverMs = 8_000

const inTime = 'an attempt begins only if it ends while its claim lasts'

/** The longest attempt, and what short steps of the clock may add, in milliseconds. */
const attemptMs = 15_000
const driftMs = 12_000

type Holder = {
  readonly subscriptionId: string
  orphanedAt?: number
  readonly claimId: string
  readonly server: string
  readonly at: number
  until: number
}

/** A delivery has one worker at a time, unless the lease of the first is over, or it was lost: the allowed zombie. */
export const createClaimsRule = ({ plan, violate, now }: RuleContext): Rule => {
  const holders = new Map<string, Holder>()
  const attempts = new Map<string, Holder[]>()
  const dueAt = new Map<string, number>()
  const lost = new Set<string>()
  /** When each server claimed each delivery last. */
  const claimedAt = new Map<string, number>()
  let troubledUntil = 0
  /** The servers of resets that have begun: they may have been committed. */
  let resetting: string[] = []

  const end = (server: string, deliveryId?: string): void => {
    for (const [id, own] of attempts) {
      if (deliveryId === undefined || id === deliveryId) {
        attempts.set(
          id,
          own.filter((each) => each.server !== server),
        )
      }
    }
  }

  const clear = (): void => {
    holders.clear()
    attempts.clear()
    dueAt.clear()
  }

  return {
    observe: (observation) => {
      switch (observation.kind) {
        case 'claimed': {
          const { server, request, claimed, deliveries } = observation
          for (const { delivery, pace } of claimed) {
            const { id, dueAt: until, subscriptionId } = delivery
            const at = (until ?? 0) - request.leaseMs
            claimedAt.set(`${server} ${id}`, now())
            const holder = holders.get(id)
            if (holder !== undefined && holder.until > at) {
              violate(
                oneHolder,
                `${server} claims ${id}, which ${holder.server} has for another ${holder.until - at} ms`,
              )
            }
            const earliest = dueAt.get(id) ?? 0
            if (earliest > at) violate(due, `${server} claims ${id} ${earliest - at} ms early`)
            holders.set(id, { claimId: request.claimId, server, at, until: until ?? 0, subscriptionId })
            const isAlone = request.suspects !== undefined && (pace === 'new' || pace === 'failing')
            const maximum = isAlone ? 1 : request.perSubscription
            const own = deliveries.filter(
              (each) =>
                each.subscriptionId === subscriptionId && each.status === 'claimed' && (each.dueAt ?? 0) > at,
            )
            if (own.length > maximum)
              violate(slots, `${subscriptionId} is ${pace}, and has ${own.length} claims`)
          }
          break
        }
        case 'settled': {
          const { server, settlement, outcome } = observation
          const { deliveryId, claimId } = settlement
          const holder = holders.get(deliveryId)
          const isHolder = holder?.claimId === claimId
          if (outcome.outcome === 'stale') {
            if (isHolder && resetting.length === 0)
              violate(oneHolder, `${server} holds the claim of ${deliveryId}, and its settlement is stale`)
            return
          }
          if (holder !== undefined && !isHolder) {
            violate(oneHolder, `${server} settles ${deliveryId}, which ${holder.server} has claimed`)
          }
          holders.delete(deliveryId)
          dueAt.set(deliveryId, outcome.delivery.dueAt ?? 0)
          break
        }
        case 'attempt began': {
          const { server, claimed } = observation
          const { id } = claimed.delivery
          const holder = holders.get(id)
          const others = attempts.get(id) ?? []
          const heldMs = now() - (claimedAt.get(`${server} ${id}`) ?? now())
          if (heldMs > leaseMs - attemptMs + driftMs)
            violate(inTime, `${server} attempts ${id}, which it claimed ${heldMs} ms ago`)
          for (const other of others) {
            if (other.until > (holder?.at ?? now())) {
              violate(oneAttempt, `${server} attempts ${id}, which ${other.server} is attempting`)
            }
          }
          if (
            holder !== undefined &&
            holder.server !== server &&
            !lost.has(server) &&
            holder.at < now() - 1
          ) {
            violate(oneAttempt, `${server} attempts ${id}, which ${holder.server} has claimed`)
          }
          if (holder !== undefined) attempts.set(id, [...others, { ...holder, server }])
          break
        }
        case 'attempt ended': {
          const { server, claimed } = observation
          end(server, claimed.delivery.id)
          break
        }
        case 'server ended':
          end(observation.server)
          resetting = resetting.filter((server) => server !== observation.server)
          // Claims on SQLite end with the process.
          if (plan.engine === 'sqlite') holders.clear()
          for (const holder of holders.values())
            if (holder.server === observation.server) holder.orphanedAt ??= now()
          break
        case 'looked':
          for (const [id, { orphanedAt, server }] of plan.engine === 'postgres' ? holders : []) {
            const waitedMs = now() - Math.max(orphanedAt ?? Infinity, troubledUntil)
            if (waitedMs > takeoverMs && observation.isAttended)
              violate(takeover, `${server} died ${waitedMs} ms ago, and nobody has taken over ${id}`)
          }
          break
        case 'trouble':
          troubledUntil = Math.max(troubledUntil, observation.until)
          break
        case 'claims lost':
          lost.add(observation.server)
          for (const id of observation.deliveryIds) {
            holders.delete(id)
            if (!observation.isExcused) continue
            for (const each of attempts.get(id) ?? []) each.until = now()
          }
          break
        case 'reset':
          if (observation.phase === 'begins') resetting.push(observation.server)
          else resetting.splice(resetting.indexOf(observation.server), 1)
          clear()
          break
        case 'pruned':
          clear()
      }
    },
  }
}
