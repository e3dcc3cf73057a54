import { organizationId } from '../cluster/organization.ts'
import type { Plan } from '../plan.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const arrived = 'every delivered event has arrived'
const complete = 'every event is delivered to every subscription'
const recorded = 'every attempt is recorded once'

const isSkippable = ({ operations, faults, rates }: Plan): boolean =>
  operations.some((operation) => operation.do === 'change a subscription' || operation.do === 'cancel') ||
  rates?.endpoint['410'] !== undefined ||
  faults.some((fault) => fault.fault === '410' || (fault.fault === 'endpoint' && fault.behavior === 410))

/** Checks that every event has been delivered or given up, and that every attempt is recorded once. */
export const createSettledInvariant = ({ plan, violate, hasSeen }: InvariantContext): Invariant => {
  /** The number of ended attempts, by delivery. */
  const ended = new Map<string, number>()
  return {
    on: {
      'attempt ended': ({ attempted: { delivery } }) =>
        ended.set(delivery.id, (ended.get(delivery.id) ?? 0) + 1),
    },
    finish: async ({ events, deliveries, subscriptions, endpoints, committed, prunedBefore }) => {
      const isReset = hasSeen('reset')
      for (const { id, status, webhookId, subscriptionId, eventName, subject, attempts } of deliveries) {
        const what = `${eventName} of ${subject} to ${subscriptionId}`
        const endpoint = endpoints.get(subscriptionId.replace('subscription', 'endpoint'))
        if (status === 'delivered' && endpoint?.handled.has(webhookId) === false)
          violate(arrived, `${what} is delivered, but was not handled`)
        if (status === 'exhausted' && attempts < 10)
          violate(complete, `${what} is exhausted after ${attempts} attempts`)
        if (status === 'skipped' && !isSkippable(plan)) violate(complete, `${what} was skipped`)
        const list = await committed.listAttempts(organizationId, id)
        const made = ended.get(id) ?? 0
        if (!isReset && list.length > made)
          violate(recorded, `${list.length} attempts of ${what} are recorded, but ${made} were made`)
        const succeeded = list.filter((attempt) => attempt.succeeded).length
        if (list.length !== attempts)
          violate(recorded, `${what} had ${attempts} attempts, and ${list.length} are recorded`)
        if (!isReset && succeeded !== Number(status === 'delivered'))
          violate(recorded, `${what} is ${status} after ${succeeded} successful attempts`)
      }
      if (prunedBefore > 0) return
      for (const { id, name, subject, channel } of events) {
        const recipients = subscriptions.filter(
          (each) => each.channel === channel && (each.events === 'all' || each.events.includes(name)),
        )
        const own = deliveries.filter(({ eventId }) => eventId === id)
        if (own.length !== recipients.length) {
          violate(
            complete,
            `${name} of ${subject} has ${own.length} deliveries for ${recipients.length} subscriptions`,
          )
        }
      }
    },
  }
}
