import type { DeliveryRecord } from '@wabakit/core'
import { isCallFault, type Plan } from '../plan.ts'
import type { Rule, RuleContext } from './rule.ts'

const starves = 'what is due is attempted soon, whatever others do'

/** Milliseconds in which a delivery to a healthy endpoint starts, and those that an attempt takes with what follows. */
const startMs = 5_000
const attemptMs = 20_000
const leaseMs = 60_000

/** Whether servers, the store and the network work all the time: only endpoints fail. */
const isReliable = ({ faults, rates, handlerMs }: Plan): boolean =>
  faults.every(
    (fault) => !isCallFault(fault) && (fault.fault === 'endpoint' || fault.fault === 'kill the receiver'),
  ) &&
  rates?.store === 0 &&
  rates.network === 0 &&
  handlerMs[1] < 1_000

/** While only endpoints fail, all deliveries are attempted in time: those to other endpoints at once. */
export const createStarvationRule = ({ plan, violate, now }: RuleContext): Rule => {
  const failing = new Set([
    // Receivers look for new secrets once a minute.
    ...plan.operations.flatMap((operation) =>
      operation.do === 'change a subscription' ? [operation.subscription] : [],
    ),
    ...plan.faults.flatMap((fault) =>
      'endpoint' in fault ? [fault.endpoint.replace('endpoint', 'subscription')] : [],
    ),
  ])
  const getPatience = (
    { subscriptionId, failures, deferrals }: DeliveryRecord,
    unfinished: readonly DeliveryRecord[],
  ): number => {
    const others = unfinished.filter((each) => each.subscriptionId === subscriptionId)
    // A retry waits for the next poll.
    const pollMs = failures + deferrals > 0 ? plan.pollMs : 0
    return pollMs + (failing.has(subscriptionId) ? attemptMs * (1 + others.length) : startMs)
  }
  return isReliable(plan)
    ? {
        observe: (observation) => {
          if (observation.kind !== 'looked') return
          const unfinished = observation.deliveries.filter(({ finishedAt }) => finishedAt === null)
          for (const delivery of unfinished) {
            const { status, dueAt, eventName, subject, subscriptionId } = delivery
            const since =
              status === 'claimed' ? now() - ((dueAt ?? 0) - leaseMs) : now() - (dueAt ?? Infinity)
            const patience = status === 'claimed' ? attemptMs : getPatience(delivery, unfinished)
            if (since <= patience) continue
            violate(
              starves,
              `${eventName} of ${subject} to ${subscriptionId} has been ${status} for ${since} ms`,
            )
          }
        },
      }
    : {}
}
