import { type Settlement, type SettlementOutcome, StorageUnavailableError } from '@wabakit/core'
import { expect, test } from 'vitest'
import { createSettleQueue, type SettleBatch } from './settle-queue.ts'

const settlement = (deliveryId: string): Settlement => ({
  deliveryId,
  claimId: 'claim',
  now: 0,
  result: { kind: 'released' },
  failingLimitMs: 1,
})

const stale: SettlementOutcome = { outcome: 'stale' }

/** Batches that end when they are told to. */
const createBatches = () => {
  const batches: Array<{ readonly ids: string[]; end(): void }> = []
  const settleBatch: SettleBatch = (settlements) =>
    new Promise((resolve) => {
      const ids = settlements.map(({ deliveryId }) => deliveryId)
      batches.push({ ids, end: () => resolve(settlements.map(() => stale)) })
    })
  return { batches, settleBatch }
}

test('writes what comes while others are being written in the next batch', async () => {
  const { batches, settleBatch } = createBatches()
  const settle = createSettleQueue(settleBatch)
  const first = settle(settlement('a'))
  await Promise.resolve()
  const second = settle(settlement('b'))
  await Promise.resolve()
  const others = ['c', 'd', 'e'].map((id) => settle(settlement(id)))
  await Promise.resolve()
  expect(batches.map(({ ids }) => ids)).toEqual([['a'], ['b']])

  batches[0]?.end()
  expect(await first).toEqual(stale)
  await expect.poll(() => batches.length).toBe(3)
  expect(batches[2]?.ids).toEqual(['c', 'd', 'e'])
  batches[1]?.end()
  batches[2]?.end()
  expect(await Promise.all([second, ...others])).toEqual([stale, stale, stale, stale])
})

test('does not let one that cannot be written take the others along', async () => {
  const settle = createSettleQueue(async (settlements) => {
    if (settlements.some(({ deliveryId }) => deliveryId === 'bad')) throw new TypeError('cannot be written')
    return settlements.map(() => stale)
  })
  const settled = await Promise.allSettled(['a', 'bad', 'b'].map((id) => settle(settlement(id))))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('tells all of a batch when the database is unavailable, and tries none of them again by itself', async () => {
  let batches = 0
  const settle = createSettleQueue(async () => {
    batches++
    throw new StorageUnavailableError('gone')
  })
  const settled = await Promise.allSettled(['a', 'b'].map((id) => settle(settlement(id))))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(batches).toBe(1)
})
