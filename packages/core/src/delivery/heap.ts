/** An item of a heap. It is in at most one heap at a time. */
export type HeapItem = {
  /** The item's position in the heap, which the heap maintains; {@link notInHeap} if the item is in no heap. */
  slot: number
}

/** The slot of an item that is in no heap. */
export const notInHeap = -1

/**
 * Creates an empty binary heap, from which any item can be removed, and in which any item can be moved.
 *
 * @param isBefore - returns whether `left` comes before `right`.
 */
export const createHeap = <Item extends HeapItem>(isBefore: (left: Item, right: Item) => boolean) => {
  const items: Item[] = []

  const assign = (item: Item, slot: number): void => {
    items[slot] = item
    item.slot = slot
  }

  const rise = (item: Item, from: number): number => {
    let slot = from
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = items[above]
      if (parent === undefined || !isBefore(item, parent)) break
      assign(parent, slot)
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
      assign(least, slot)
      slot = below
    }
  }

  const position = (item: Item, slot: number): void => {
    assign(item, rise(item, slot))
    assign(item, sink(item, item.slot))
  }

  return {
    get size(): number {
      return items.length
    },
    /** Returns the first item. */
    peek: (): Item | undefined => items[0],
    /** Adds an item, or moves it because its sort order has changed. */
    put: (item: Item): void => position(item, item.slot === notInHeap ? items.length : item.slot),
    /** Removes an item. Does nothing if the item is not in the heap. */
    remove: (item: Item): void => {
      if (item.slot === notInHeap) return
      const last = items.pop()
      if (last !== undefined && last !== item) position(last, item.slot)
      item.slot = notInHeap
    },
  }
}
