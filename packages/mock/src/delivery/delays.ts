import type { LoadedDelivery } from '@wabakit/core'
import type { DeliveryFaultLists } from '../faults/delivery-faults.ts'
import { createReordering } from '../faults/reordering.ts'
import { parseDuration } from '../time/duration.ts'
import type { Scheduler } from '../time/scheduler.ts'

export type DelaysOptions = {
  readonly faults: Pick<DeliveryFaultLists, 'delay' | 'reorder'>
  readonly scheduler: Scheduler
  /** Makes the server send a delivery again, with the same `webhook-id`. */
  readonly resend: (attempted: LoadedDelivery) => Promise<unknown>
}

/**
 * Holds deliveries back for the faults `delay` and `reorder`. The server counts a held delivery as delivered, so that
 * later ones can overtake it. When it is due, the server sends it again, and its usual rules for retries apply.
 */
export type Delays = {
  /** Returns whether this delivery is held back now. */
  holds(attempted: LoadedDelivery): boolean
  /** Returns the fault that delayed a delivery, when the delivery is sent. */
  getReason(attempted: LoadedDelivery): 'delay' | 'reorder' | undefined
  /** Sends the delivery that was waiting for this one, if there is one. */
  onArrival(attempted: LoadedDelivery): void
  /** Sends all deliveries that `reorder` holds back. */
  release(): void
}

export const createDelays = ({ faults, scheduler, resend }: DelaysOptions): Delays => {
  const reasons = new Map<string, 'delay' | 'reorder'>()
  const reordering = createReordering(faults.reorder.take)
  return {
    holds: (attempted) => {
      const { id } = attempted.delivery
      if (reasons.has(id)) return false
      const delay = faults.delay.take(attempted)
      if (delay !== undefined) {
        scheduler.schedule({
          at: scheduler.now() + parseDuration(delay.by),
          description: `the delayed ${attempted.event.name}`,
          run: () => resend(attempted),
        })
        reasons.set(id, 'delay')
      } else if (reordering.holds(attempted)) {
        reasons.set(id, 'reorder')
      }
      return reasons.has(id)
    },
    getReason: ({ delivery }) => reasons.get(delivery.id),
    onArrival: (attempted) => {
      const next = reordering.takeNext(attempted)
      if (next !== undefined) void resend(next)
    },
    release: () => {
      for (const held of reordering.clear()) void resend(held)
    },
  }
}
