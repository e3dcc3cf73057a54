import { expect, onTestFinished, test, vi } from 'vitest'
import { createCapacity } from './capacity.ts'

/** A capacity of one quick attempt and sixteen slow ones. */
const create = (isPaced: boolean) => {
  const freed: number[] = []
  const clock = { now: () => performance.now() }
  const capacity = createCapacity({
    concurrency: 1,
    clock,
    isPaced: () => isPaced,
    onFree: () => freed.push(clock.now()),
  })
  return { capacity, freed }
}

test('a quick attempt frees its slot once, while its result is written, and then a second may start', () => {
  const { capacity, freed } = create(true)
  const first = capacity.start('quick', 'acme')
  expect(capacity.allows('quick')).toBe(false)
  first.free()
  first.free()
  expect([capacity.allows('quick'), freed.length]).toEqual([true, 1])
  capacity.start('quick', 'acme')
  expect(capacity.allows('quick')).toBe(false)
  first.end()
  expect([capacity.allows('quick'), freed.length]).toEqual([false, 1])
})

test('two attempts whose results are being written leave no slot for a third', () => {
  const { capacity } = create(true)
  const slots = [capacity.start('quick', 'acme')]
  slots[0]?.free()
  slots.push(capacity.start('quick', 'acme'))
  slots[1]?.free()
  expect(capacity.allows('quick')).toBe(false)
  slots[0]?.end()
  expect(capacity.allows('quick')).toBe(true)
})

test('an attempt that becomes slow moves to a slow slot of its organization, once', () => {
  const { capacity, freed } = create(true)
  const slots = Array.from({ length: 8 }, () => {
    const slot = capacity.start('quick', 'acme')
    slot.moveToSlow()
    slot.moveToSlow()
    return slot
  })
  expect([capacity.allows('quick'), freed.length]).toEqual([true, 8])
  expect([...capacity.listFull()]).toEqual(['acme'])
  slots[0]?.end()
  expect([...capacity.listFull()]).toEqual([])
})

test('an organization with as many slow attempts as free slots gets no more, until one of them ends', () => {
  const { capacity } = create(false)
  const slots = Array.from({ length: 8 }, () => capacity.start('slow', 'acme'))
  expect([[...capacity.listFull()], capacity.allows('slow')]).toEqual([['acme'], true])
  slots[0]?.end()
  expect([...capacity.listFull()]).toEqual([])
  for (let index = 0; index < 9; index++) capacity.start('failing', 'other')
  expect([capacity.allows('slow'), capacity.allows('failing')]).toEqual([false, false])
  slots[1]?.end()
  expect([capacity.allows('slow'), capacity.allows('failing')]).toEqual([true, true])
})

test.each([
  ['failing', 2, 40],
  ['new', 4, 10],
  ['slow', 4, 10],
] as const)('attempts to %s endpoints start in bursts of %i, once per %i ms', (pace, burst, intervalMs) => {
  vi.useFakeTimers()
  vi.advanceTimersByTime(1_000)
  onTestFinished(() => void vi.useRealTimers())
  const { capacity, freed } = create(true)
  const before = performance.now()
  for (const bursts of [1, 2, 3]) {
    for (let index = 0; index < burst; index++) {
      expect(capacity.allows(pace)).toBe(true)
      capacity.start(pace, `${bursts} ${index}`).end()
    }
    expect(capacity.allows(pace)).toBe(false)
    vi.advanceTimersToNextTimer()
    expect(freed.length).toBe(bursts)
  }
  // After idle time, the second burst may follow the first at once.
  expect(freed.map((at) => at - before)).toEqual([0, intervalMs, 2 * intervalMs])
})

test('starts are not spread over time during a drain', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { capacity } = create(false)
  for (let index = 0; index < 5; index++) capacity.start('failing', `${index}`)
  expect(capacity.allows('failing')).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a quick attempt that has freed its slot does not become slow', () => {
  const { capacity, freed } = create(false)
  const slot = capacity.start('quick', 'acme')
  slot.free()
  slot.moveToSlow()
  for (let index = 0; index < 15; index++) capacity.start('slow', 'other')
  expect([capacity.allows('slow'), [...capacity.listFull()]]).toEqual([true, ['other']])
  slot.end()
  expect([capacity.allows('slow'), freed.length]).toEqual([true, 1])
})

test('a quick attempt that ends at once frees its slot, too', () => {
  const { capacity, freed } = create(false)
  capacity.start('quick', 'acme').end()
  expect([capacity.allows('quick'), freed.length]).toEqual([true, 1])
})

test('an organization whose slow attempts have all ended uses no slow slot', () => {
  const { capacity } = create(false)
  capacity.start('slow', 'acme').end()
  for (let index = 0; index < 15; index++) capacity.start('slow', 'other')
  expect([...capacity.listFull()]).toEqual(['other'])
})
