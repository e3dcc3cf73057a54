import { expect, test } from 'vitest'
import { createSubscriptionCache } from './subscription-cache.ts'

const current = (revision: number) => [{ queue: '7', revision, failingSince: null, isReported: false }]

test('forgets a subscription that was removed, and reads each revision once', async () => {
  let rows: object[] = [{ row: { position: 7, id: 'sub_1', revision: 1 } }]
  let reads = 0
  const cache = createSubscriptionCache(async () => {
    reads++
    return rows as never
  })
  const find = async (revision: number) => [...(await cache.find(current(revision))).keys()]
  expect([await find(1), await find(1), reads]).toEqual([['7'], ['7'], 1])
  rows = []
  expect(await find(2)).toEqual([])
  expect(await find(1)).toEqual([])
})
