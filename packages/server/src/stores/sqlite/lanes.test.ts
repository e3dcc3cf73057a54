import { join } from 'node:path'
import type { ClaimedDelivery, SettlementResult, Store } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { groupEvent, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

const openStore = async (): Promise<Store> => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  return store
}

const claim = (store: Store): Promise<ClaimedDelivery[]> =>
  store.claimDeliveries({ claimId: 'claim', now: start, leaseMs: 60_000, limit: 10, perSubscription: 10 })

const settle = (store: Store, { delivery }: ClaimedDelivery, result: SettlementResult) =>
  store.settleDelivery({
    deliveryId: delivery.id,
    claimId: 'claim',
    now: start,
    failingLimitMs: 1_000,
    result,
  })

const attempt = {
  startedAt: start,
  durationMs: 1,
  url: 'https://receiver.example/',
  error: null,
  responseBody: null,
}

test('does not wait for an event that comes later in the lane', async () => {
  const store = await openStore()
  const call = { subject: 'call:a' }
  await store.addEvent(groupEvent('1', { ...call, name: 'CALL_ENDED' }))
  await store.addEvent(groupEvent('2', { ...call, name: 'CALL_AI_SUMMARY', waitsFor: 'CALL_ENDED' }))
  await store.addEvent(groupEvent('3', { ...call, name: 'CALL_ENDED' }))
  const sent: string[] = []
  for (let [next] = await claim(store); next !== undefined; [next] = await claim(store)) {
    sent.push(next.event.id)
    await settle(store, next, { kind: 'delivered', attempt: { ...attempt, status: 200 } })
  }
  expect(sent).toEqual(['evt_1', 'evt_2', 'evt_3'])
})

test('a claim on a removed delivery is stale', async () => {
  const store = await openStore()
  await store.addEvent(groupEvent('1'))
  const [claimed] = await claim(store)
  if (claimed === undefined) throw new Error('nothing was claimed')
  await store.saveSubscription(subscription({ revision: 2, disabledReason: 'by_hand' }))
  expect(await store.prune({ before: start + 1, limit: 10 })).toBe(2)
  expect(await settle(store, claimed, { kind: 'released' })).toEqual({ outcome: 'stale' })
})
