import type { ClaimedDelivery } from '@wabakit/core'
import type { DeliveryRules } from '../faults/delivery-rules.ts'
import { createReordering } from '../faults/reordering.ts'
import { parseDuration } from '../time/duration.ts'
import type { Timekeeper } from '../time/timekeeper.ts'

/** What {@link createLateness} works with. */
export type LatenessContext = {
  readonly rules: Pick<DeliveryRules, 'delay' | 'reorder'>
  readonly time: Timekeeper
  /** Has the server send a delivery once more, under the same id. */
  readonly sendAgain: (claimed: ClaimedDelivery) => Promise<unknown>
}

/**
 * Deliveries that arrive late. To the server a delivery that is kept back counts as sent, so that those behind it can
 * overtake it; when its time has come the server sends it again, with its own rules for retries.
 */
export type Lateness = {
  /** Whether this delivery is kept back now. */
  keepsBack(claimed: ClaimedDelivery): boolean
  /** Why a delivery that goes out now was late, if it was. */
  reasonOf(claimed: ClaimedDelivery): 'delay' | 'reorder' | undefined
  /** To be told of each arrival: it may be somebody's turn now. */
  arrived(claimed: ClaimedDelivery): void
  /** Lets go what waits for others. */
  release(): void
}

/** Makes it. */
export const createLateness = ({ rules, time, sendAgain }: LatenessContext): Lateness => {
  const reasons = new Map<string, 'delay' | 'reorder'>()
  const reordering = createReordering(rules.reorder.take)
  return {
    keepsBack: (claimed) => {
      const { id } = claimed.delivery
      if (reasons.has(id)) return false
      const delay = rules.delay.take(claimed)
      if (delay !== undefined) {
        const at = time.now() + parseDuration(delay.by)
        time.schedule({ at, what: `the delayed ${claimed.event.name}`, run: () => sendAgain(claimed) })
        reasons.set(id, 'delay')
      } else if (reordering.holds(claimed)) {
        reasons.set(id, 'reorder')
      }
      return reasons.has(id)
    },
    reasonOf: ({ delivery }) => reasons.get(delivery.id),
    arrived: (claimed) => {
      const next = reordering.next(claimed)
      if (next !== undefined) void sendAgain(next)
    },
    release: () => {
      for (const held of reordering.clear()) void sendAgain(held)
    },
  }
}
