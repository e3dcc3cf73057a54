import type { LoadedDelivery } from '@wabakit/core'
import type { ReorderFault } from '../faults/delivery-fault.ts'
import { type DeliveryFaultLists, isAimedAt } from '../faults/delivery-faults.ts'
import { parseDuration } from '../time/duration.ts'
import type { TaskTimers } from '../time/task-timers.ts'

/** The events of one call or group that are being delivered to one subscription. */
type Queue = {
  readonly fault: ReorderFault
  readonly arrived: Set<string>
  readonly held: Map<string, LoadedDelivery>
}

/** Holds back deliveries until all earlier events of the requested order have been attempted, whatever came of it. */
const createReordering = ({ take, idle }: Pick<DeliveryFaultLists['reorder'], 'take' | 'idle'>) => {
  const applied = new WeakSet<ReorderFault>()
  const faults = new Map<string, ReorderFault>()
  const queues = new Map<string, Queue>()
  const getKey = ({ subscription, event }: LoadedDelivery): string => `${subscription.id} ${event.subject}`

  const findQueue = (attempted: LoadedDelivery): Queue | undefined => {
    const { subject, name } = attempted.event
    const fault = faults.get(subject) ?? take(attempted)
    if (fault === undefined || !fault.events.some((each) => each === name)) return undefined
    faults.set(subject, fault)
    if (!applied.has(fault)) idle.add(fault)
    if (!isAimedAt(fault, attempted.subscription)) return undefined
    const key = getKey(attempted)
    const queue = queues.get(key) ?? { fault, arrived: new Set(), held: new Map() }
    queues.set(key, queue)
    return queue
  }

  const mayArrive = ({ fault: { events }, arrived }: Queue, name: string): boolean => {
    const order: readonly string[] = events
    return order.slice(0, order.indexOf(name)).every((earlier) => arrived.has(earlier))
  }

  return {
    /** Holds this delivery if it must wait for others. Returns whether it is held. */
    holds: (attempted: LoadedDelivery): boolean => {
      const queue = findQueue(attempted)
      if (queue === undefined || mayArrive(queue, attempted.event.name)) return false
      queue.held.set(attempted.event.name, attempted)
      return true
    },
    /** Records an attempt as an arrival, and returns the held delivery that may follow now. */
    takeNext: (attempted: LoadedDelivery): LoadedDelivery | undefined => {
      const queue = queues.get(getKey(attempted))
      if (queue === undefined) return undefined
      queue.arrived.add(attempted.event.name)
      for (const [name, held] of queue.held) {
        if (!mayArrive(queue, name)) continue
        queue.held.delete(name)
        applied.add(queue.fault)
        idle.delete(queue.fault)
        return held
      }
      return undefined
    },
    /** Discards all reorderings, and returns the held deliveries. */
    clear: (): readonly LoadedDelivery[] => {
      const held = [...queues.values()].flatMap((queue) => [...queue.held.values()])
      faults.clear()
      queues.clear()
      return held
    },
  }
}

export type DelaysOptions = {
  readonly faults: Pick<DeliveryFaultLists, 'delay' | 'reorder'>
  readonly timers: TaskTimers
  /** Makes the server send a delivery again, with the same `webhook-id`. */
  readonly resend: (attempted: LoadedDelivery) => Promise<unknown>
}

/**
 * Holds back deliveries for the faults `delay` and `reorder`. The server counts a held delivery as delivered, so that
 * later ones can overtake it. When it is due, the server sends it again, and the usual retry rules apply.
 */
export const createDelays = ({ faults, timers, resend }: DelaysOptions) => {
  const reasons = new Map<string, 'delay' | 'reorder'>()
  const reordering = createReordering(faults.reorder)
  return {
    /** Holds this delivery back if a fault requires it. Returns whether it is held back. */
    holds: (attempted: LoadedDelivery): boolean => {
      const { id } = attempted.delivery
      if (reasons.has(id)) return false
      const delay = faults.delay.take(attempted)
      if (delay !== undefined) {
        timers.schedule({
          at: timers.now() + parseDuration(delay.by),
          description: `the delayed ${attempted.event.name}`,
          run: () => resend(attempted),
        })
        reasons.set(id, 'delay')
      } else if (reordering.holds(attempted)) {
        reasons.set(id, 'reorder')
      }
      return reasons.has(id)
    },
    getReason: ({ delivery }: LoadedDelivery) => reasons.get(delivery.id),
    /** Sends the delivery that was waiting for this one, if any. */
    onArrival: (attempted: LoadedDelivery): void => {
      const next = reordering.takeNext(attempted)
      if (next !== undefined) void resend(next)
    },
    /** Sends all deliveries that `reorder` holds back. */
    release: (): void => {
      for (const held of reordering.clear()) void resend(held)
    },
  }
}
