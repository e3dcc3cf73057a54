import { createHeap, isBefore, nowhere, type Queued } from './heap.ts'
import { createRun } from './run.ts'

/** The earliest first. */
export type DueQueue<Item extends Queued> = {
  readonly size: number
  peek(): Item | undefined
  /** Adds an item that will probably come last, which takes the same time however long the queue is. */
  append(item: Item): void
  /** Adds an item anywhere, or moves one that was put, in time by the logarithm of the length. */
  put(item: Item): void
  /** Takes an item out; nothing happens when it is not in. */
  remove(item: Item): void
}

/** Makes an empty queue. */
export const createDueQueue = <Item extends Queued>(): DueQueue<Item> => {
  const run = createRun<Item>()
  const heap = createHeap<Item>()
  let size = 0

  const put = (item: Item): void => {
    if (item.slot === nowhere) size++
    heap.put(item)
  }

  return {
    get size() {
      return size
    },
    put,
    peek: () => {
      const first = run.peek()
      const other = heap.peek()
      if (first === undefined || other === undefined) return first ?? other
      return isBefore(first, other) ? first : other
    },
    append: (item) => {
      if (run.append(item)) size++
      else put(item)
    },
    remove: (item) => {
      if (item.slot === nowhere) return
      size--
      if (item.slot < nowhere) run.remove(item)
      else heap.remove(item)
    },
  }
}
