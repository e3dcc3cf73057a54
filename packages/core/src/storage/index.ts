// Building blocks for a store: what a settlement changes, and telling the schedulers of this process

export {
  type BeforeSettlement,
  type DecidedSettlement,
  decideSettlement,
  type LaneState,
  type SettledDelivery,
} from './decide-settlement.ts'
export { createHeap, type Heap, type HeapItem, outside } from './heap.ts'
export { createNewsChannel, type NewsChannel } from './news-channel.ts'
