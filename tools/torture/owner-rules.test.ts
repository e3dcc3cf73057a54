import { expect, test } from 'vitest'
import type { OwnerEntry } from './contents.ts'
import type { AttemptLine, EndLine } from './lines.ts'
import { checkOwners, type OwnerEvidence } from './owner-rules.ts'

const entry = (
  kind: OwnerEntry['kind'],
  process: string,
  at: number,
  { leaseLeftMs = 0, lostMs }: { readonly leaseLeftMs?: number; readonly lostMs?: number } = {},
): OwnerEntry => ({ shard: 3, kind, process, at, leaseLeftMs, lostMs })
const deliveries = [
  { eventId: 'evt_1', shard: 3, status: 'delivered', attempts: 1, recorded: 1, succeeded: 1 },
]

/** Builds the lines of an attempt to deliver the event. */
const attempt = (
  process: string,
  number: number,
  [begun, ended]: readonly [number, number?],
): AttemptLine[] => [
  { process, number, monotonic: begun, begun: { id: 'evt_1', at: begun } },
  ...(ended === undefined ? [] : [{ process, number, monotonic: ended }]),
]
const end = (process: string, at: number, isKilled: boolean): EndLine => ({
  process,
  at,
  monotonic: at,
  isKilled,
})

const check = (evidence: Partial<OwnerEvidence>) => {
  const rules: string[] = []
  const figures = checkOwners({ log: [], deliveries, attempts: [], ends: [], ...evidence }, (rule) =>
    rules.push(rule),
  )
  return { rules, figures }
}

test('one process does not make overlapping attempts to deliver an event', () => {
  const checkOne = (second: readonly [number, number]) =>
    check({ attempts: [...attempt('one', 1, [10, 20]), ...attempt('one', 2, second)] }).rules
  expect(checkOne([20, 30])).toEqual([])
  expect(checkOne([19, 30])).toEqual(['overlapping attempts'])
})

test('attempts may overlap if the first worker had lost the shard, regardless of which started first', () => {
  const lost = [entry('taken', 'one', 0), entry('taken', 'two', 15)]
  const [late, later] = [attempt('one', 1, [10, 30]), attempt('one', 1, [25, 40])]
  const taken = attempt('two', 1, [20, 30])
  for (const first of [late, later]) {
    const { rules, figures } = check({ log: lost, attempts: [...first, ...taken] })
    expect([rules, figures.overlaps]).toEqual([[], 1])
  }
})

test('attempts may not overlap if the shard was given up or retaken by its owner', () => {
  const attempts = [...attempt('one', 1, [10, 30]), ...attempt('two', 1, [20, 30])]
  const givenUp = [entry('taken', 'one', 0), entry('given up', 'one', 12), entry('taken', 'two', 15)]
  expect(check({ log: givenUp, attempts }).rules).toEqual(['overlapping attempts'])
  const again = [...attempt('one', 1, [10, 30]), ...attempt('one', 2, [20, 30])]
  const takenAgain = [entry('taken', 'one', 0), entry('taken', 'one', 15)]
  expect(check({ log: takenAgain, attempts: again }).rules).toEqual(['overlapping attempts'])
})

test('a process that never owned the shard attempts nothing', () => {
  const log = [entry('taken', 'one', 0), entry('taken', 'two', 15)]
  expect(check({ log, attempts: attempt('two', 1, [14, 20]) }).rules).toEqual([
    'attempted by a process other than the owner',
  ])
})

test('the attempts of a process end when it is killed or exits', () => {
  const log = [entry('taken', 'one', 0), entry('given up', 'one', 12), entry('taken', 'two', 15)]
  const attempts = [...attempt('one', 1, [10]), ...attempt('two', 1, [20, 30])]
  expect(check({ log, attempts }).rules).toEqual(['overlapping attempts'])
  expect(check({ log, attempts, ends: [end('one', 21, false)] }).rules).toEqual(['overlapping attempts'])
  expect(check({ log, attempts, ends: [end('one', 19, true), end('one', 21, false)] }).rules).toEqual([])
})

test("a shard may be taken from a worker when the worker's lease has ended, or 2 seconds after it was lost", () => {
  const take = (options: { leaseLeftMs: number; lostMs?: number }) =>
    check({ log: [entry('taken', 'one', 0), entry('taken', 'two', 9, options)] }).rules
  expect(take({ leaseLeftMs: 1 })).toEqual(['taken from a living worker'])
  expect(take({ leaseLeftMs: 1, lostMs: 1_999 })).toEqual(['taken from a living worker'])
  expect(take({ leaseLeftMs: 1, lostMs: 2_000 })).toEqual([])
  expect(take({ leaseLeftMs: -1 })).toEqual([])
})

test('only the owner of a shard settles in it and gives it up', () => {
  const log = [entry('taken', 'one', 0), entry('settled', 'two', 1), entry('given up', 'two', 2)]
  expect(check({ log }).rules).toEqual([
    'settled by a process other than the owner',
    'given up by a process other than the owner',
  ])
})

test('a takeover is measured from the kill to the next attempt', () => {
  const { figures } = check({
    log: [
      entry('taken', 'one', 0),
      entry('taken', 'two', 3_200, { lostMs: 2_000 }),
      entry('taken', 'three', 6_200, { lostMs: 2_000 }),
    ],
    attempts: attempt('three', 1, [6_300, 6_400]),
    ends: [end('one', 1_000, true), end('two', 4_000, true)],
  })
  expect(figures).toEqual({
    takeovers: 2,
    overlaps: 0,
    resumed: { shards: 1, unnoticed: 0, medianMs: 2_300, longestMs: 2_300 },
  })
})

test('a takeover after a kill that was not noticed waited for the end of the lease', () => {
  const { figures } = check({
    log: [entry('taken', 'one', 0), entry('taken', 'two', 21_000)],
    attempts: attempt('two', 1, [21_100, 21_200]),
    ends: [end('one', 1_000, true)],
  })
  expect(figures.resumed).toMatchObject({ shards: 1, unnoticed: 1 })
})
