import { expect, test } from 'vitest'
import { checkClaims } from './claim-rules.ts'
import type { ClaimEntry } from './contents.ts'

const entry = (kind: ClaimEntry['kind'], process: string, at: number, lostMs?: number): ClaimEntry => ({
  ...{ eventId: 'evt_1', claimId: process, process, at, kind },
  ...{ leaseLeftMs: undefined, lostMs },
})
const log = (process: string, at: number): ClaimEntry[] => [
  entry('claimed', process, at),
  entry('released', process, at + 9),
]

/** Checks two attempts, each under a claim of its own. */
const check = (...turns: readonly (readonly [number, number])[]): string[] => {
  const rules: string[] = []
  const intervals = turns.map((each, index) => ({ id: 'evt_1', begun: 10 * index, turns: each }))
  checkClaims({ claims: [...log('one', 0), ...log('two', 10)], intervals, kills: [] }, (rule) =>
    rules.push(rule),
  )
  return rules
}

test('attempts overlap if one begins in an earlier turn than the other ends', () => {
  expect(check([1, 3], [2, 4])).toEqual(['attempted by two workers concurrently'])
  expect(check([1, 2], [2, 4])).toEqual([])
  expect(check([1, 2], [3, 4])).toEqual([])
})

test('a takeover is measured from the kill after which the next attempt began', () => {
  const { resumed } = checkClaims(
    {
      claims: [
        entry('claimed', 'one', 0),
        entry('released', 'two', 3_100, 2_000),
        entry('claimed', 'two', 3_200),
        entry('released', 'three', 6_100, 2_000),
        entry('claimed', 'three', 6_200),
      ],
      intervals: [{ id: 'evt_1', begun: 6_300, turns: [1, 2] }],
      kills: [
        { process: 'one', at: 1_000 },
        { process: 'two', at: 4_000 },
      ],
    },
    expect.unreachable,
  )
  expect(resumed).toEqual({ deliveries: 1, medianMs: 2_300, longestMs: 2_300 })
})
