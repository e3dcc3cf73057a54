import { expect, test } from 'vitest'
import { createStopSignal } from './stop-signal.ts'
import { createTurns } from './turns.ts'

const none = new Set<string>()

test('organizations take turns, and so do the items of each', () => {
  const turns = createTurns<string>()
  expect([turns.isEmpty(), turns.next(none)]).toEqual([true, undefined])
  for (const item of ['a1', 'a2', 'b1', 'c1']) turns.add(item[0] ?? '', item)
  turns.add('b', 'a1')
  expect(turns.isEmpty()).toBe(false)
  const drawn = Array.from({ length: 7 }, () => turns.next(none))
  expect(drawn).toEqual(['a1', 'b1', 'c1', 'a2', 'b1', 'c1', 'a1'])
})

test('an organization that is skipped keeps its turn', () => {
  const turns = createTurns<string>()
  for (const item of ['a1', 'b1', 'b2']) turns.add(item[0] ?? '', item)
  expect(turns.next(new Set(['a']))).toBe('b1')
  expect(turns.next(none)).toBe('a1')
  expect(turns.next(new Set(['a', 'b']))).toBeUndefined()
  expect(turns.next(none)).toBe('b2')
})

test('an item that was deleted has no turn, and can be added again for another organization', () => {
  const turns = createTurns<string>()
  for (const item of ['a1', 'a2']) turns.add('a', item)
  expect([turns.delete('a1'), turns.delete('a1'), turns.delete('other')]).toEqual([true, false, false])
  expect([turns.next(none), turns.next(none)]).toEqual(['a2', 'a2'])
  turns.add('b', 'a1')
  expect([turns.next(none), turns.next(none), turns.next(none)]).toEqual(['a2', 'a1', 'a2'])
  expect([turns.delete('a2'), turns.isEmpty(), turns.next(none), turns.delete('a1')]).toEqual([
    true,
    false,
    'a1',
    true,
  ])
  expect([turns.isEmpty(), turns.next(none)]).toEqual([true, undefined])
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
