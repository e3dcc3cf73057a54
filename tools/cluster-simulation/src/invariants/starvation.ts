import type { DeliveryRecord } from '@wabakit/core'
import { operationalSubscription } from '../cluster/organization.ts'
import { type Fault, getHeldUpMs, isCallFault, type Plan } from '../plan.ts'
import { createDueTimes } from './due-times.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const starves = 'a due delivery is attempted promptly, regardless of other endpoints'

/** Maximum delay of an attempt to a healthy endpoint, in milliseconds. */
const startMs = 5_000
/** Maximum duration of an attempt and its settlement, in milliseconds. */
const attemptMs = 20_000

/** Maximum number of store calls before an attempt: reading heads and retries, loading deliveries, and settling. */
const callsPerStart = 8

const isUnfinished = ({ finishedAt }: DeliveryRecord): boolean => finishedAt === null

/** Returns whether only endpoints can fail, and not the servers, the store or the network. */
const isReliable = ({ faults, rates, handlerMs }: Plan): boolean => {
  const boundaries = rates === null ? [] : [rates.store, rates.transaction, rates.network]
  const isQuiet = boundaries.every((each) => Object.keys(each).length === 0)
  return isQuiet && handlerMs[1] < 1_000 && faults.every(isEndpointFault)
}

const isEndpointFault = (fault: Fault): boolean =>
  isCallFault(fault) ? fault.on.startsWith('endpoint') : 'endpoint' in fault

/** For reliable plans, checks that deliveries are attempted in time, and promptly if their endpoints are healthy. */
export const createStarvationInvariant = ({ plan, violate, now }: InvariantContext): Invariant => {
  if (!isReliable(plan)) return {}
  const { changesMs = 0, slowMs: slowCallMs = 0 } = plan
  const failsByChance = plan.faults.some(isCallFault) || Object.keys(plan.rates?.endpoint ?? {}).length > 0
  const failing = new Set([
    // Receivers look for new secrets only once a minute.
    ...plan.operations.flatMap((operation) =>
      operation.do === 'change a subscription' ? [operation.subscription] : [],
    ),
    ...plan.faults.flatMap((fault) =>
      'endpoint' in fault ? [fault.endpoint.replace('endpoint', 'subscription')] : [],
    ),
    ...(failsByChance ? [...plan.subscriptions, operationalSubscription].map(({ name }) => name) : []),
  ])
  /** Returns the maximum time for which a delivery may stay pending. Other deliveries may come first. */
  const getPatience = (
    { subscriptionId }: DeliveryRecord,
    pendingSince: number,
    deliveries: readonly DeliveryRecord[],
  ): number => {
    const others = deliveries.filter(
      (each) => each.subscriptionId === subscriptionId && (each.finishedAt ?? Infinity) > pendingSince,
    )
    const heldUpMs = getHeldUpMs(plan, subscriptionId, deliveries)
    const slowMs = changesMs + callsPerStart * slowCallMs * (1 + others.length)
    return heldUpMs + slowMs + (failing.has(subscriptionId) ? attemptMs * (1 + others.length) : startMs)
  }
  const dueTimes = createDueTimes(now)
  return {
    on: {
      inspected: ({ deliveries }) => {
        for (const delivery of deliveries.filter(isUnfinished)) {
          const { status, eventName, subject, subscriptionId } = delivery
          const pendingSince = dueTimes.find(delivery) ?? Infinity
          const waited = now() - pendingSince
          if (waited > getPatience(delivery, pendingSince, deliveries))
            violate(
              starves,
              `${eventName} of ${subject} to ${subscriptionId} has been ${status} for ${waited} ms`,
            )
        }
      },
    },
  }
}
