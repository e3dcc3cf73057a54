import { expect, onTestFinished, test } from 'vitest'
import { createCluster } from '../../../test/postgres-cluster.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { openPostgres } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

test('also removes deliveries that are older than the last removed one', async () => {
  const cluster = await createCluster()
  onTestFinished(cluster.remove)
  const store = postgresStore(await openPostgres({ url: await cluster.createDatabase() }))
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  // Its deliveries are settled when their events happen.
  await store.saveSubscription(subscription({ disabledReason: 'by_hand' }))

  for (const occurredAt of [100, 50]) {
    await store.addEvent(event({ occurredAt }))
    expect(await store.prune({ before: 1_000, limit: 10 })).toBe(2)
  }
  expect(await store.prune({ before: 1_000, limit: 10 })).toBe(0)
})
