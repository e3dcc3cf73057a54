import { expect, test } from 'vitest'
import type { DeliveryRecord } from '../records.ts'
import type { Settlement, Store } from '../store.ts'
import { limitRetries } from './live-retries.ts'

test('a delivery is repeated once after a time-out, also if its result is written twice, or if it is sent again', async () => {
  const kinds: string[] = []
  const settleDeliveries = async (settlements: readonly Settlement[]) => {
    for (const { result } of settlements) kinds.push(result.kind)
    return []
  }
  const store = limitRetries({ settleDeliveries } as Partial<Store> as Store, { retryOnTimeout: true })
  const settle = async (failures: number): Promise<void> => {
    const result = { kind: 'retry', attempt: { error: 'no complete response within 15000 ms' } }
    const delivery = { failures } as DeliveryRecord
    await store.settleDeliveries([{ id: 'dlv_1', delivery, result } as Settlement])
  }
  await settle(0)
  await settle(0)
  await settle(1)
  expect(kinds).toEqual(['retry', 'retry', 'exhausted'])
})
