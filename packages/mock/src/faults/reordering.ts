import type { ClaimedDelivery } from '@wabakit/core'
import type { ReorderFault } from './delivery-fault.ts'

/** The events of one call or group on their way to one subscription, in the order they shall have. */
type Queue = {
  readonly order: readonly string[]
  readonly arrived: Set<string>
  readonly held: Map<string, ClaimedDelivery>
}

/** Holds deliveries back until those that shall come first have arrived. */
export type Reordering = {
  /** Whether this delivery must wait; it is then kept. */
  holds(claimed: ClaimedDelivery): boolean
  /** Notes an arrival; returns the delivery whose turn it is now, if it was held. */
  next(claimed: ClaimedDelivery): ClaimedDelivery | undefined
  /** Forgets every order; returns what was held. */
  clear(): readonly ClaimedDelivery[]
}

/**
 * Makes it.
 *
 * @param take - the rule that a delivery starts, if any.
 */
export const createReordering = (
  take: (claimed: ClaimedDelivery) => ReorderFault | undefined,
): Reordering => {
  const rules = new Map<string, ReorderFault | undefined>()
  const queues = new Map<string, Queue>()

  const queueOf = (claimed: ClaimedDelivery): Queue | undefined => {
    const { subject } = claimed.event
    const key = `${claimed.subscription.id} ${subject}`
    const rule = rules.get(subject) ?? take(claimed)
    if (rule === undefined || !rule.events.some((name) => name === claimed.event.name)) return undefined
    rules.set(subject, rule)
    const queue = queues.get(key) ?? { order: rule.events, arrived: new Set(), held: new Map() }
    queues.set(key, queue)
    return queue
  }

  const isFree = ({ order, arrived }: Queue, name: string): boolean =>
    order.slice(0, order.indexOf(name)).every((earlier) => arrived.has(earlier))

  return {
    holds: (claimed) => {
      const queue = queueOf(claimed)
      if (queue === undefined || isFree(queue, claimed.event.name)) return false
      queue.held.set(claimed.event.name, claimed)
      return true
    },
    next: (claimed) => {
      const queue = queues.get(`${claimed.subscription.id} ${claimed.event.subject}`)
      if (queue === undefined) return undefined
      queue.arrived.add(claimed.event.name)
      const name = [...queue.held.keys()].find((held) => isFree(queue, held))
      const held = name === undefined ? undefined : queue.held.get(name)
      if (name !== undefined) queue.held.delete(name)
      return held
    },
    clear: () => {
      const held = [...queues.values()].flatMap((queue) => [...queue.held.values()])
      rules.clear()
      queues.clear()
      return held
    },
  }
}
