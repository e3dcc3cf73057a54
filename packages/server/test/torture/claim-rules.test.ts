import { expect, test } from 'vitest'
import { checkClaims } from './claim-rules.ts'
import type { ClaimEntry } from './contents.ts'

const log = (process: string, at: number): ClaimEntry[] => [
  {
    eventId: 'evt_1',
    claimId: process,
    process,
    at,
    kind: 'claimed',
    leaseLeftMs: undefined,
    lostMs: undefined,
  },
  {
    eventId: 'evt_1',
    claimId: process,
    process,
    at: at + 9,
    kind: 'released',
    leaseLeftMs: undefined,
    lostMs: undefined,
  },
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
