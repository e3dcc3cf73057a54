/** What can be queued: in at most one queue at a time. */
export type Queued = {
  /** When it is due. */
  at: number
  /** Decides between those due at the same time. */
  readonly order: number
  /** Its place in the queue's heap; −1 when it is in none. The queue's own. */
  slot: number
}

/** The earliest first. Each operation takes time by the logarithm of the length. */
export type DueQueue<Item extends Queued> = {
  readonly size: number
  peek(): Item | undefined
  /** Adds an item, or moves it after its `at` has changed. */
  put(item: Item): void
  /** Takes an item out; nothing happens when it is not in. */
  remove(item: Item): void
}

const isBefore = (left: Queued, right: Queued): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

/** Makes a queue: a binary heap whose items know their places. */
export const createDueQueue = <Item extends Queued>(): DueQueue<Item> => {
  const heap: Item[] = []

  const place = (item: Item, slot: number): void => {
    heap[slot] = item
    item.slot = slot
  }

  const rise = (item: Item, from: number): number => {
    let slot = from
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || !isBefore(item, parent)) break
      place(parent, slot)
      slot = above
    }
    return slot
  }

  const sink = (item: Item, from: number): number => {
    let slot = from
    for (;;) {
      const left = heap[2 * slot + 1]
      const right = heap[2 * slot + 2]
      const least = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (least === undefined || !isBefore(least, item)) return slot
      const below = least.slot
      place(least, slot)
      slot = below
    }
  }

  const settle = (item: Item, slot: number): void => {
    place(item, rise(item, slot))
    place(item, sink(item, item.slot))
  }

  return {
    get size() {
      return heap.length
    },
    peek: () => heap[0],
    put: (item) => settle(item, item.slot === -1 ? heap.length : item.slot),
    remove: (item) => {
      if (item.slot === -1) return
      const last = heap.pop()
      if (last !== undefined && last !== item) settle(last, item.slot)
      item.slot = -1
    },
  }
}
