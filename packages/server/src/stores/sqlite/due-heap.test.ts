import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDueHeap } from './due-heap.ts'

test('returns the earliest first, whatever is added, moved and removed', () => {
  const change = fc.record({
    subscription: fc.integer({ min: 0, max: 20 }),
    dueAt: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const heap = createDueHeap()
      const expected = new Map<number, number>()
      for (const { subscription, dueAt } of changes) {
        if (dueAt === undefined) {
          heap.remove(subscription)
          expected.delete(subscription)
        } else {
          heap.put({ subscription, dueAt })
          expected.set(subscription, dueAt)
        }
        expect(heap.find(subscription)?.dueAt).toBe(dueAt)
        expect(heap.first()?.dueAt ?? Infinity).toBe(Math.min(...expected.values()))
      }
      const taken: number[] = []
      for (let first = heap.first(); first !== undefined; first = heap.first()) {
        taken.push(first.dueAt)
        heap.remove(first.subscription)
      }
      expect(taken).toEqual([...expected.values()].sort((left, right) => left - right))
    }),
  )
})
