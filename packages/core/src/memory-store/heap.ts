/** What can be queued: in at most one queue at a time. */
export type Queued = {
  /** When it is due. */
  at: number
  /** Decides between those due at the same time. */
  readonly order: number
  /** Its place in the queue it is in; the queue's own. */
  slot: number
}

/** The slot of what is in no queue. */
export const nowhere = -1

/** Whether `left` comes before `right`. */
export const isBefore = (left: Queued, right: Queued): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

/** A binary heap whose items know their places (their slots, from 0), so that any of them can be moved or taken out. */
export type Heap<Item extends Queued> = {
  peek(): Item | undefined
  /** Adds an item, or moves it after its `at` has changed. */
  put(item: Item): void
  /** Takes out an item that is in. */
  remove(item: Item): void
}

/** Makes an empty heap. */
export const createHeap = <Item extends Queued>(): Heap<Item> => {
  const items: Item[] = []

  const place = (item: Item, slot: number): void => {
    items[slot] = item
    item.slot = slot
  }

  const rise = (item: Item, from: number): number => {
    let slot = from
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = items[above]
      if (parent === undefined || !isBefore(item, parent)) break
      place(parent, slot)
      slot = above
    }
    return slot
  }

  const sink = (item: Item, from: number): number => {
    let slot = from
    for (;;) {
      const left = items[2 * slot + 1]
      const right = items[2 * slot + 2]
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
    peek: () => items[0],
    put: (item) => settle(item, item.slot === nowhere ? items.length : item.slot),
    remove: (item) => {
      const last = items.pop()
      if (last !== undefined && last !== item) settle(last, item.slot)
      item.slot = nowhere
    },
  }
}
