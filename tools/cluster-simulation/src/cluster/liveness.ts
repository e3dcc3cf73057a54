import type { DeliveryRecord } from '@wabakit/core'
import { listDeliveries } from '../engines/observed-store.ts'
import { createDueTimes } from '../invariants/due-times.ts'
import type { Violate } from '../invariants/invariant.ts'
import { getHeldUpMs } from '../plan.ts'
import { createOwner } from '../virtual/event-loop.ts'
import type { Cluster } from './servers.ts'

const settles = 'when faults stop, everything settles'
const starves = 'a due delivery is attempted promptly'

/**
 * Maximum time until a due delivery is attempted, in milliseconds. A lease may have to expire first, or an attempt may
 * have to end and be settled. Other deliveries of the same subscription extend this time.
 */
const patienceMs = 90_000

/** Time from the start of the calm until retention runs, in milliseconds. `wabakit serve` uses the same interval. */
const retentionMs = 60_000

/** Maximum time from the start of the calm until all deliveries are finished, in milliseconds. */
const maximumMs = 20 * 86_400_000

export type LivenessOptions = {
  readonly violate: Violate
  haveUsersEnded(): boolean
  onSettled(deliveries: readonly DeliveryRecord[]): Promise<void>
}

/** Reads all deliveries periodically, for the invariants. During the calm, checks that none is overdue and that all settle. */
export const watchLiveness = (
  { plan, loop, engine, servers, observe, now: getNow }: Cluster,
  { violate, haveUsersEnded, onSettled }: LivenessOptions,
): void => {
  const { calmAt } = plan
  const dueTimes = createDueTimes(getNow)
  let isOver = false
  let hasRetained = false

  const inspect = async (): Promise<void> => {
    const deliveries = await listDeliveries(engine.committed)
    const calmMs = Math.max(0, loop.now() - calmAt)
    observe({ kind: 'inspected', deliveries })
    if (calmMs === 0) return scheduleNext(Math.max(1_000, Math.min(5_000, calmAt / 20), calmAt / 80))
    const unfinished = deliveries.filter(({ finishedAt }) => finishedAt === null)
    const hasEnded = haveUsersEnded()
    const now = getNow()
    if (unfinished.length === 0 && hasEnded) {
      isOver = true
      return onSettled(deliveries)
    }
    if (calmMs > (hasEnded ? maximumMs : 600_000)) {
      const what = hasEnded
        ? `${unfinished.length} deliveries are still unfinished`
        : 'a client is still waiting for a response'
      return violate(settles, `${what} ${Math.round(calmMs / 1_000)} s later`)
    }
    if (calmMs >= retentionMs && !hasRetained) {
      // No server runs at this moment if the only one is blocked by a commit.
      const server = servers.find()
      hasRetained = server !== undefined
      // Retention continues removals that failed halfway.
      await server?.store.prune({ before: 0, limit: 1_000 })
      return scheduleNext(3_000)
    }
    const due = unfinished.flatMap((delivery) => {
      const dueAt = dueTimes.find(delivery)
      return dueAt === undefined ? [] : [{ delivery, dueAt }]
    })
    if (unfinished.length > 0 && due.length === 0 && hasRetained) {
      return violate(settles, `${unfinished.length} deliveries are waiting, but nothing precedes them`)
    }
    const earliest = Math.min(...due.map(({ dueAt }) => dueAt))
    const since = Math.min(now - servers.getLostMs() - earliest, calmMs)
    const late = due.find(({ dueAt }) => dueAt === earliest)?.delivery
    const others = unfinished.filter(({ subscriptionId }) => subscriptionId === late?.subscriptionId)
    const heldUpMs = getHeldUpMs(plan, late?.subscriptionId ?? '', deliveries)
    if (since > patienceMs + plan.pollMs + heldUpMs + others.length * plan.handlerMs[1]) {
      return violate(starves, `${late?.eventName} of ${late?.subject} has been due for ${since} ms`)
    }
    scheduleNext(
      unfinished.length === 0
        ? 3_000
        : Math.max(3_000, Math.min(earliest - now, hasRetained ? 3_600_000 : retentionMs)),
    )
  }

  const scheduleNext = (delayMs: number): void => {
    loop.schedule({ owner: createOwner('observer'), delayMs, label: 'look' }, () => {
      if (!isOver) void inspect()
    })
  }
  scheduleNext(10)
}
