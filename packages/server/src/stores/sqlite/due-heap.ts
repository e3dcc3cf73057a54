import { createHeap, type HeapItem, outside } from '@wabakit/core/storage'

/** A subscription, and when its earliest delivery is due. */
export type DueTime = { readonly subscription: number; readonly dueAt: number }

/** A heap of due times, with one per subscription. */
export type DueHeap = {
  first(): DueTime | undefined
  find(subscription: number): DueTime | undefined
  /** Adds a subscription, or moves it to another time. */
  put(time: DueTime): void
  /** Removes a subscription, if it is in the heap. */
  remove(subscription: number): void
}

type DueItem = HeapItem & { readonly subscription: number; dueAt: number }

export const createDueHeap = (): DueHeap => {
  const heap = createHeap<DueItem>((left, right) => left.dueAt < right.dueAt)
  const items = new Map<number, DueItem>()

  return {
    first: heap.peek,
    find: (subscription) => items.get(subscription),
    put: ({ subscription, dueAt }) => {
      const item = items.get(subscription) ?? { subscription, dueAt, slot: outside }
      item.dueAt = dueAt
      items.set(subscription, item)
      heap.put(item)
    },
    remove: (subscription) => {
      const item = items.get(subscription)
      if (item === undefined) return
      items.delete(subscription)
      heap.remove(item)
    },
  }
}
