import { expect, test } from 'vitest'
import type { OwnerEntry } from './contents.ts'
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

const check = (evidence: Partial<OwnerEvidence>) => {
  const rules: string[] = []
  const figures = checkOwners({ log: [], deliveries, intervals: [], kills: [], ...evidence }, (rule) =>
    rules.push(rule),
  )
  return { rules, figures }
}
const checkTurns = (log: readonly OwnerEntry[], ...turns: readonly (readonly [number, number])[]): string[] =>
  check({ log, intervals: turns.map((each, index) => ({ id: 'evt_1', begun: 10 * index, turns: each })) })
    .rules

test('attempts overlap if one begins in an earlier turn than the other ends', () => {
  expect(checkTurns([], [1, 3], [2, 4])).toEqual(['attempted by two workers concurrently'])
  expect(checkTurns([], [1, 2], [2, 4])).toEqual([])
  expect(checkTurns([], [1, 2], [3, 4])).toEqual([])
})

test('attempts may overlap if the shard was taken over between their beginnings', () => {
  expect(checkTurns([entry('taken', 'one', 0), entry('taken', 'two', 5)], [1, 3], [2, 4])).toEqual([])
  expect(checkTurns([entry('taken', 'one', 0), entry('taken', 'two', 15)], [1, 3], [2, 4])).not.toEqual([])
})

test('a shard is taken from a worker when its lease is over, or when it was lost for 2 seconds', () => {
  const take = (options: { leaseLeftMs: number; lostMs?: number }) =>
    check({ log: [entry('taken', 'one', 0), entry('taken', 'two', 9, options)] }).rules
  expect(take({ leaseLeftMs: 1 })).toEqual(['taken from a worker that was alive'])
  expect(take({ leaseLeftMs: 1, lostMs: 1_999 })).toEqual(['taken from a worker that was alive'])
  expect(take({ leaseLeftMs: 1, lostMs: 2_000 })).toEqual([])
  expect(take({ leaseLeftMs: -1 })).toEqual([])
})

test('only the owner of a shard settles there, and gives it up', () => {
  const log = [entry('taken', 'one', 0), entry('settled', 'two', 1), entry('given up', 'two', 2)]
  expect(check({ log }).rules).toEqual([
    'settled by another than its owner',
    'given up by another than its owner',
  ])
})

test('a takeover is measured from the kill after which the next attempt began', () => {
  const { figures } = check({
    log: [
      entry('taken', 'one', 0),
      entry('taken', 'two', 3_200, { lostMs: 2_000 }),
      entry('taken', 'three', 6_200, { lostMs: 2_000 }),
    ],
    intervals: [{ id: 'evt_1', begun: 6_300, turns: [1, 2] }],
    kills: [
      { process: 'one', at: 1_000 },
      { process: 'two', at: 4_000 },
    ],
  })
  expect(figures).toEqual({
    takeovers: 2,
    overlaps: 0,
    resumed: { shards: 1, medianMs: 2_300, longestMs: 2_300 },
  })
})
