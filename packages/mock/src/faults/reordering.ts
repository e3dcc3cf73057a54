import type { LoadedDelivery } from '@wabakit/core'
import type { ReorderFault } from './delivery-fault.ts'

/** The events of one call or group on their way to one subscription. */
type Queue = {
  readonly order: readonly string[]
  readonly arrived: Set<string>
  readonly held: Map<string, LoadedDelivery>
}

/** Holds deliveries back until those that must arrive first have arrived. */
export type Reordering = {
  /** Returns whether this delivery must wait. If so, it is kept. */
  holds(attempted: LoadedDelivery): boolean
  /** Records an arrival, and returns the held delivery that may follow now. */
  takeNext(attempted: LoadedDelivery): LoadedDelivery | undefined
  /** Forgets every order, and returns the held deliveries. */
  clear(): readonly LoadedDelivery[]
}

/** @param take - returns the fault that starts with a delivery, if any. */
export const createReordering = (
  take: (attempted: LoadedDelivery) => ReorderFault | undefined,
): Reordering => {
  const faults = new Map<string, ReorderFault>()
  const queues = new Map<string, Queue>()
  const getKey = ({ subscription, event }: LoadedDelivery): string => `${subscription.id} ${event.subject}`

  const findQueue = (attempted: LoadedDelivery): Queue | undefined => {
    const { subject, name } = attempted.event
    const fault = faults.get(subject) ?? take(attempted)
    if (fault === undefined || !fault.events.some((each) => each === name)) return undefined
    faults.set(subject, fault)
    const key = getKey(attempted)
    const queue = queues.get(key) ?? { order: fault.events, arrived: new Set(), held: new Map() }
    queues.set(key, queue)
    return queue
  }

  const mayArrive = ({ order, arrived }: Queue, name: string): boolean =>
    order.slice(0, order.indexOf(name)).every((earlier) => arrived.has(earlier))

  return {
    holds: (attempted) => {
      const queue = findQueue(attempted)
      if (queue === undefined || mayArrive(queue, attempted.event.name)) return false
      queue.held.set(attempted.event.name, attempted)
      return true
    },
    takeNext: (attempted) => {
      const queue = queues.get(getKey(attempted))
      if (queue === undefined) return undefined
      queue.arrived.add(attempted.event.name)
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
