import { isBefore, nowhere, type Queued } from './heap.ts'

/**
 * A sequence that is sorted because it is only ever appended to in order. Its items' slots are below
 * {@link nowhere}; what is taken out leaves a gap that is passed over.
 */
export type Run<Item extends Queued> = {
  peek(): Item | undefined
  /** Appends an item; false, and nothing happens, when it belongs further ahead. */
  append(item: Item): boolean
  /** Takes out an item that is in. */
  remove(item: Item): void
}

const slotOf = (index: number): number => nowhere - 1 - index

/** Makes an empty run. */
export const createRun = <Item extends Queued>(): Run<Item> => {
  let items: Array<Item | undefined> = []
  let head = 0
  /** How many were cut off in front of `items`. */
  let cut = 0
  let last = { at: -Infinity, order: -Infinity, slot: nowhere }

  const cutOff = (): void => {
    if (head < 1_024 || head * 2 < items.length) return
    items = items.slice(head)
    cut += head
    head = 0
  }

  return {
    peek: () => {
      while (head < items.length && items[head] === undefined) head++
      cutOff()
      return items[head]
    },
    append: (item) => {
      if (isBefore(item, last)) return false
      last = { at: item.at, order: item.order, slot: nowhere }
      item.slot = slotOf(cut + items.length)
      items.push(item)
      return true
    },
    remove: (item) => {
      items[slotOf(item.slot) - cut] = undefined
      item.slot = nowhere
    },
  }
}
