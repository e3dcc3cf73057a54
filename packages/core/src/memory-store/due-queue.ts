import { createHeap, type Heap, type HeapItem } from '../storage/heap.ts'

/** An item of a {@link DueQueue}. */
export type Queued = HeapItem & {
  /** When it is due. */
  at: number
  /** Decides between items that are due at the same moment. */
  readonly order: number
}

/** A queue with the earliest item first. */
export type DueQueue<Item extends Queued> = Heap<Item>

const isBefore = (left: Queued, right: Queued): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

export const createDueQueue = <Item extends Queued>(): DueQueue<Item> => createHeap<Item>(isBefore)
