import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { groupEvent, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { openDatabase } from './open-database.ts'
import { storeOnDatabase } from './store-on-database.ts'

const openStore = async () => {
  const opened = openDatabase(join(temporaryFolder(), 'wabakit.db'))
  const store = storeOnDatabase(opened)
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  const claim = async (limit: number): Promise<string[]> => {
    const request = { claimId: 'claim', now: start, leaseMs: 60_000, limit, perSubscription: 10 }
    return (await store.claimDeliveries(request)).map(({ event }) => event.id)
  }
  return { store, claim, database: opened.database }
}

test('claims what became due before something that is claimed', async () => {
  const { store, claim } = await openStore()
  await store.saveSubscription(subscription())
  await store.addEvent(groupEvent('1', { occurredAt: start }))
  expect(await claim(1)).toEqual(['evt_1'])
  await store.addEvent(groupEvent('2', { occurredAt: start - 1 }))
  expect(await claim(1)).toEqual(['evt_2'])
})

test('claims again what a failed claim has read', async () => {
  const { store, claim, database } = await openStore()
  await store.saveSubscription(subscription())
  await store.addEvent(groupEvent('1'))
  expect(await claim(1)).toEqual(['evt_1'])
  await store.saveSubscription(subscription({ id: 'sub_2' }))
  await store.addEvent(groupEvent('2'))
  database.exec(`update subscriptions set events = 'no JSON' where id = 'sub_2'`)
  await expect(claim(10)).rejects.toThrow()
  database.exec(`update subscriptions set events = '"all"' where id = 'sub_2'`)
  expect(await claim(10)).toEqual(['evt_2', 'evt_2'])
})
