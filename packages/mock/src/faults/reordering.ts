import type { ClaimedDelivery } from '@wabakit/core'
import type { ReorderFault } from './delivery-fault.ts'

/** The events of one call or group on their way to one subscription. */
type Queue = {
  readonly order: readonly string[]
  readonly arrived: Set<string>
  readonly held: Map<string, ClaimedDelivery>
}

/** Holds deliveries back until those that must arrive first have arrived. */
export type Reordering = {
  /** Returns whether this delivery must wait. If so, it is kept. */
  holds(claimed: ClaimedDelivery): boolean
  /** Records an arrival, and returns the held delivery that may follow now. */
  takeNext(claimed: ClaimedDelivery): ClaimedDelivery | undefined
  /** Forgets every order, and returns the held deliveries. */
  clear(): readonly ClaimedDelivery[]
}

/** @param take - returns the fault that starts with a delivery, if any. */
export const createReordering = (
  take: (claimed: ClaimedDelivery) => ReorderFault | undefined,
): Reordering => {
  const faults = new Map<string, ReorderFault>()
  const queues = new Map<string, Queue>()
  const getKey = ({ subscription, event }: ClaimedDelivery): string => `${subscription.id} ${event.subject}`

  const findQueue = (claimed: ClaimedDelivery): Queue | undefined => {
    const { subject, name } = claimed.event
    const fault = faults.get(subject) ?? take(claimed)
    if (fault === undefined || !fault.events.some((each) => each === name)) return undefined
    faults.set(subject, fault)
    const key = getKey(claimed)
    const queue = queues.get(key) ?? { order: fault.events, arrived: new Set(), held: new Map() }
    queues.set(key, queue)
    return queue
  }

  const mayArrive = ({ order, arrived }: Queue, name: string): boolean =>
    order.slice(0, order.indexOf(name)).every((earlier) => arrived.has(earlier))

  return {
    holds: (claimed) => {
      const queue = findQueue(claimed)
      if (queue === undefined || mayArrive(queue, claimed.event.name)) return false
      queue.held.set(claimed.event.name, claimed)
      return true
    },
    takeNext: (claimed) => {
      const queue = queues.get(getKey(claimed))
      if (queue === undefined) return undefined
      queue.arrived.add(claimed.event.name)
      for (const [name, held] of queue.held) {
        if (!mayArrive(queue, name)) continue
        queue.held.delete(name)
        return held
      }
      return undefined
    },
    clear: () => {
      const held = [...queues.values()].flatMap((queue) => [...queue.held.values()])
      faults.clear()
      queues.clear()
      return held
    },
  }
}
