import type { DeliveryRecord } from '@wabakit/core'
import type { Invariant, InvariantContext } from './invariant.ts'

const order = 'deliveries of a lane are attempted in order'

/** Number of failures after which other deliveries may overtake a delivery. */
const blockingFailures = 3

const isFinished = ({ status }: DeliveryRecord): boolean =>
  status === 'delivered' || status === 'exhausted' || status === 'skipped'

/** Checks that each lane keeps the documented order. Checks nothing after a user has resent or removed deliveries. */
export const createLanesInvariant = ({ violate, hasSeen }: InvariantContext): Invariant => ({
  on: {
    loaded: ({ server, attempted: { delivery }, deliveries }) => {
      const place = hasSeen('reset') ? 0 : deliveries.findIndex(({ id }) => id === delivery.id)
      for (const earlier of deliveries.slice(0, Math.max(0, place))) {
        const { subject, subscriptionId, eventName, failures } = earlier
        const isOfLane = subject === delivery.subject && subscriptionId === delivery.subscriptionId
        if (!isOfLane || isFinished(earlier)) continue
        const mustWait = delivery.eventName === 'CALL_AI_SUMMARY' && eventName === 'CALL_ENDED'
        if (failures < blockingFailures || mustWait)
          violate(
            order,
            `${server} attempts ${delivery.eventName} of ${subject} before ${eventName}, which has failed ${failures} times`,
          )
      }
    },
  },
})
