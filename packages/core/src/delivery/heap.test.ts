import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHeap, type HeapItem, notInHeap } from './heap.ts'

type Item = HeapItem & { at: number; readonly order: number }

const isBefore = (left: Item, right: Item): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

const createItems = (count: number): Item[] =>
  Array.from({ length: count }, (_, order) => ({ at: 0, order, slot: notInHeap }))

const drain = (heap: ReturnType<typeof createHeap<Item>>): Item[] => {
  const items: Item[] = []
  for (let item = heap.peek(); item !== undefined; item = heap.peek()) {
    items.push(item)
    heap.remove(item)
  }
  return items
}

test('a heap always has the first item on top, whatever is added, moved and removed', () => {
  const change = fc.tuple(
    fc.constantFrom('put' as const, 'remove' as const, 'take' as const),
    fc.integer({ min: 0, max: 30 }),
    fc.integer({ min: 0, max: 20 }),
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200, size: 'max' }), (changes) => {
      const heap = createHeap<Item>(isBefore)
      const items = createItems(31)
      const expected = new Set<Item>()
      const sort = (): Item[] => [...expected].sort((left, right) => (isBefore(left, right) ? -1 : 1))
      for (const [kind, index, at] of changes) {
        const item = kind === 'take' ? heap.peek() : items[index]
        if (item === undefined) continue
        if (kind === 'put') {
          item.at = at
          heap.put(item)
          expected.add(item)
        } else {
          heap.remove(item)
          expected.delete(item)
        }
        expect(heap.peek()).toBe(sort()[0])
        expect(heap.size).toBe(expected.size)
      }
      const sorted = sort()
      expect(drain(heap)).toEqual(sorted)
    }),
    { numRuns: 100 },
  )
})

test('a heap keeps its order and its size while many thousands come and go', () => {
  const heap = createHeap<Item>(isBefore)
  let next = 0
  const add = (): void => heap.put({ at: 1, order: next++, slot: notInHeap })
  for (let index = 0; index < 5_000; index++) add()
  for (let index = 0; index < 20_000; index++) {
    const first = heap.peek()
    expect(first?.order).toBe(index)
    if (first !== undefined) heap.remove(first)
    add()
  }
  expect(heap.size).toBe(5_000)
  expect(drain(heap).length).toBe(5_000)
})
