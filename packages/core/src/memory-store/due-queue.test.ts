import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDueQueue } from './due-queue.ts'
import { nowhere, type Queued } from './heap.ts'

type Item = Queued & { readonly name: number }

const isBefore = (left: Item, right: Item): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

const drain = (queue: ReturnType<typeof createDueQueue<Item>>): number[] => {
  const names: number[] = []
  for (let item = queue.peek(); item !== undefined; item = queue.peek()) {
    names.push(item.name)
    queue.remove(item)
  }
  return names
}

describe('createDueQueue', () => {
  it('always has the earliest first, whatever is added, moved and taken out', () => {
    const at = fc.integer({ min: 0, max: 20 })
    const item = fc.integer({ min: 0, max: 30 })
    const operation = fc.oneof(
      fc.tuple(fc.constantFrom('append' as const, 'put' as const, 'move' as const), item, at),
      fc.tuple(fc.constantFrom('remove' as const, 'take' as const), item, at),
    )
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const queue = createDueQueue<Item>()
        const items = Array.from(
          { length: 31 },
          (_, name): Item => ({ name, at: 0, order: name, slot: nowhere }),
        )
        const expected = new Set<Item>()
        const earliest = () =>
          [...expected].reduce<Item | undefined>((a, b) => (a && isBefore(a, b) ? a : b), undefined)
        for (const [operate, index, time] of operations) {
          const one = items[index]
          if (one === undefined) continue
          if (operate === 'take') {
            const first = queue.peek()
            if (first !== undefined) queue.remove(first)
            if (first !== undefined) expected.delete(first)
          } else if (operate === 'remove') {
            queue.remove(one)
            expected.delete(one)
          } else if (operate === 'move') {
            // What was appended is taken out before it is put elsewhere.
            queue.remove(one)
            one.at = time
            queue.put(one)
            one.at = time + 1
            if (one.slot > nowhere) queue.put(one)
            expected.add(one)
          } else if (!expected.has(one)) {
            one.at = time
            queue[operate](one)
            expected.add(one)
          }
          expect(queue.peek()).toBe(earliest())
          expect(queue.size).toBe(expected.size)
        }
        const sorted = [...expected].sort((a, b) => (isBefore(a, b) ? -1 : 1)).map(({ name }) => name)
        expect(drain(queue)).toEqual(sorted)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps its order and its size over many thousands that come and go', () => {
    const queue = createDueQueue<Item>()
    let next = 0
    const add = (): void => queue.append({ name: next, at: 1, order: next++, slot: nowhere })
    for (let index = 0; index < 5_000; index++) add()
    for (let index = 0; index < 20_000; index++) {
      const first = queue.peek()
      expect(first?.name).toBe(index)
      if (first !== undefined) queue.remove(first)
      add()
    }
    expect(queue.size).toBe(5_000)
    expect(drain(queue).length).toBe(5_000)
  })
})
