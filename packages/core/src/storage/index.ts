// Building blocks for a store: fair turns, what is due next, and waking the workers of this process

export { createDueNotifier, type DueNotifier } from './due-notifier.ts'
export { createHeap, type Heap, type HeapItem, outside } from './heap.ts'
export { createTurns, type Turns } from './turns.ts'
