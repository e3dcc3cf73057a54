import { expect, test } from 'vitest'
import { createRoundRobin } from './round-robin.ts'
import { createStopSignal } from './stop-signal.ts'

const none = new Set<string>()

test('organizations take turns, and so do the items of each', () => {
  const queue = createRoundRobin<string>()
  expect([queue.isEmpty(), queue.next(none)]).toEqual([true, undefined])
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.add(item[0] ?? '', item)
  queue.add('b', 'a1')
  expect(queue.isEmpty()).toBe(false)
  const drawn = Array.from({ length: 7 }, () => queue.next(none))
  expect(drawn).toEqual(['a1', 'b1', 'c1', 'a2', 'b1', 'c1', 'a1'])
})

test('an organization that is skipped keeps its turn', () => {
  const queue = createRoundRobin<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.add(item[0] ?? '', item)
  expect(queue.next(new Set(['a']))).toBe('b1')
  expect(queue.next(none)).toBe('a1')
  expect(queue.next(new Set(['a', 'b']))).toBeUndefined()
  expect(queue.next(none)).toBe('b2')
})

test('an item that was deleted has no turn, and can be added again for another organization', () => {
  const queue = createRoundRobin<string>()
  for (const item of ['a1', 'a2']) queue.add('a', item)
  expect([queue.delete('a1'), queue.delete('a1'), queue.delete('other')]).toEqual([true, false, false])
  expect([queue.next(none), queue.next(none)]).toEqual(['a2', 'a2'])
  queue.add('b', 'a1')
  expect([queue.next(none), queue.next(none), queue.next(none)]).toEqual(['a2', 'a1', 'a2'])
  expect([queue.delete('a2'), queue.isEmpty(), queue.next(none), queue.delete('a1')]).toEqual([
    true,
    false,
    'a1',
    true,
  ])
  expect([queue.isEmpty(), queue.next(none)]).toEqual([true, undefined])
})

test('a stop signal calls its listeners, but none that was removed', () => {
  const signal = createStopSignal()
  const called: string[] = []
  signal.onStop(() => called.push('kept'))
  signal.onStop(() => called.push('removed'))()
  expect(signal.isStopped()).toBe(false)
  signal.stop()
  expect([signal.isStopped(), called]).toEqual([true, ['kept']])
})
