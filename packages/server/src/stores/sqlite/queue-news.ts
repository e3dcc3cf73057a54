import type { Journal, PendingDelivery, QueueState } from '@wabakit/core'
import { createNewsChannel } from '@wabakit/core/storage'
import type { FindSubscription } from './find-subscription.ts'
import type { Effects } from './remember.ts'

/** A queue in which something happened, and from which position. 0 means anywhere. */
export type TouchedQueue = { readonly subscription: number; readonly from: number }

/** Tells what happens to queues after the commit, and remembers what happened since this process has opened the database. */
export type QueueNews = Pick<Journal, 'listen'> & {
  /** Notes that a delivery was added. `head` is the delivery if it is the head of its lane. */
  noteAdded(subscription: number, event: number, head: PendingDelivery | undefined): void
  /** Notes that something else changed. */
  noteChanged(subscription: number): void
  /** Returns a cursor of what has happened by now. */
  getCursor(): string
  /** Lists the queues in which something happened after a cursor. */
  listSince(cursor: string): TouchedQueue[]
  /** Returns a subscription as a scheduler sees it, unless it is removed. */
  findState(subscription: number): QueueState | undefined
}

/** The last changes of a queue: the position of the last delivery, and the order of the last other change. */
type Touched = { event: number; change: number }

/** Only one process uses the file, so nothing happens that is not noted here. */
export const createQueueNews = (findSubscription: FindSubscription, effects: Effects): QueueNews => {
  const news = createNewsChannel()
  const touched = new Map<number, Touched>()
  /** The position of the last delivery, and the order of the last change. */
  const last: Touched = { event: 0, change: 0 }

  const touch = (subscription: number): Touched => {
    const known = touched.get(subscription) ?? { event: 0, change: 0 }
    touched.set(subscription, known)
    return known
  }
  const markChanged = (subscription: number): void => {
    touch(subscription).change = ++last.change
  }
  const findState = (subscription: number): QueueState | undefined => {
    const { record, pace } = findSubscription(subscription) ?? {}
    if (record === undefined || pace === undefined || record.revision < 0) return undefined
    return { queue: String(subscription), shard: 0, organizationId: record.organizationId, pace }
  }
  /** After a rollback, positions are used again. And if the outcome of the commit is unknown, there may be something new. */
  const note = (subscription: number, afterCommit: () => void): void => {
    effects.push({ afterCommit, afterRollback: () => markChanged(subscription) })
  }

  return {
    listen: news.listen,
    findState,
    noteAdded: (subscription, event, head) => {
      const state = head && findState(subscription)
      note(subscription, () => {
        touch(subscription).event = event
        last.event = Math.max(last.event, event)
        if (state !== undefined && head !== undefined) news.tell({ kind: 'head', state, head })
      })
    },
    noteChanged: (subscription) => {
      const state = findState(subscription)
      note(subscription, () => {
        markChanged(subscription)
        if (state !== undefined) news.tell({ kind: 'changed', state })
      })
    },
    getCursor: () => `${last.event}.${last.change}`,
    listSince: (cursor) => {
      const [event = 0, change = 0] = cursor.split('.').map(Number)
      return Array.from(touched).flatMap(([subscription, each]) => {
        if (each.change > change) return { subscription, from: 0 }
        return each.event > event ? { subscription, from: event + 1 } : []
      })
    },
  }
}
