import type { PendingDelivery, StoredQueue } from '@wabakit/core'
import { createChangeChannel } from '@wabakit/core/storage'
import type { Access } from './record-access.ts'

/** A changed queue and the position from which to read it again. 0 means from the start. */
export type TouchedQueue = { readonly subscription: number; readonly from: number }

export type QueueChanges = ReturnType<typeof createQueueChanges>

/** The last changes of a queue: the position of the last added event, and the number of the last other change. */
type Touched = { event: number; change: number }

/**
 * Reports changes to queues after they are committed, and remembers when each queue last changed since this process opened the
 * database. Only one process uses the file, so it sees all changes.
 */
export const createQueueChanges = ({ effects, findSubscription }: Access) => {
  const channel = createChangeChannel()
  const touched = new Map<number, Touched>()
  /** The same for all queues. Other changes are numbered from 1. */
  const last: Touched = { event: 0, change: 0 }

  const touch = (subscription: number): Touched => {
    const known = touched.get(subscription) ?? { event: 0, change: 0 }
    touched.set(subscription, known)
    return known
  }
  const markChanged = (subscription: number): void => {
    touch(subscription).change = ++last.change
  }
  /** Returns the state of a subscription's queue, unless the subscription is removed. */
  const findState = (subscription: number): StoredQueue | undefined => {
    const { record, pace } = findSubscription(subscription) ?? {}
    if (record === undefined || pace === undefined || record.revision < 0) return undefined
    return { queue: String(subscription), shard: 0, organizationId: record.organizationId, pace }
  }
  /**
   * Records a change even if its transaction is rolled back: positions are then reused, and if the outcome of a commit
   * is unknown, there may be new deliveries.
   */
  const note = (subscription: number, afterCommit: () => void): void => {
    effects.push({ afterCommit, afterRollback: () => markChanged(subscription) })
  }

  return {
    listen: channel.listen,
    findState,
    /** Records that a delivery was added. `head` is the delivery if it is the head of its lane. */
    noteAdded: (subscription: number, event: number, head: PendingDelivery | undefined): void => {
      const state = head && findState(subscription)
      note(subscription, () => {
        touch(subscription).event = event
        last.event = Math.max(last.event, event)
        if (state !== undefined && head !== undefined) channel.emit({ kind: 'head', state, head })
      })
    },
    /** Records any other change to a queue. */
    noteChanged: (subscription: number): void => {
      const state = findState(subscription)
      note(subscription, () => {
        markChanged(subscription)
        if (state !== undefined) channel.emit({ kind: 'changed', state })
      })
    },
    getCursor: (): string => `${last.event}.${last.change}`,
    /** Lists the queues that have changed since a cursor. */
    listSince: (cursor: string): TouchedQueue[] => {
      const [event = 0, change = 0] = cursor.split('.').map(Number)
      return Array.from(touched).flatMap(([subscription, each]) => {
        if (each.change > change) return { subscription, from: 0 }
        return each.event > event ? { subscription, from: event + 1 } : []
      })
    },
  }
}
