import type { Store } from '@wabakit/core'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { buildParticipant } from '../../../../core/test/store-cases/records.ts'
import { event, groupCreation, organization, subscription } from '../../../test/records.ts'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { openPostgres } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

const openStore = async () => {
  const database = await openPostgres({ url: await createPostgresDatabase() })
  const store = postgresStore(database)
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  return { database, store }
}

test('also removes deliveries that are older than the last removed one', async () => {
  const { store } = await openStore()
  // The deliveries of a disabled subscription are finished when their events happen.
  await store.saveSubscription(subscription({ disabledReason: 'by_hand' }))

  for (const occurredAt of [100, 50]) {
    await store.addEvent(event({ occurredAt }))
    expect(await store.prune({ before: 1_000, limit: 10 })).toBe(2)
  }
  expect(await store.prune({ before: 1_000, limit: 10 })).toBe(0)
})

test("continues a dead process's removal, in transactions of at most the given number of rows", async () => {
  const { database, store } = await openStore()
  await store.saveSubscription(subscription())
  for (let count = 0; count < 30; count++) await store.addEvent(event())
  await database.query(`SELECT remove_organization('acme')`)

  const removed: number[] = []
  do removed.push(await store.prune({ before: 0, limit: 10 }))
  while (removed.at(-1) !== 0)
  // Deliveries, the subscription, events and the organization.
  expect(removed).toEqual([10, 10, 10, 1, 10, 10, 10, 1, 0])
  for (const table of ['organizations', 'subscriptions', 'events', 'unfinished_deliveries', 'deliveries']) {
    expect(await database.query(`SELECT FROM wabakit.${table}`)).toEqual([])
  }
})

test.each<[string, (store: Store) => Promise<unknown>]>([
  ['pruning skips', (store) => store.prune({ before: 0, limit: 10 })],
  ['enabling it skips', (store) => store.saveSubscription(subscription({ revision: 2 }))],
])(
  'a subscription whose disabling was interrupted has nothing to attempt, and %s the rest',
  async (_, skip) => {
    const { database, store } = await openStore()
    await store.saveSubscription(subscription())
    for (let count = 0; count < 30; count++) await store.addEvent(event())
    await database.query(`UPDATE wabakit.subscriptions SET disabled_reason = 'by_hand'`)

    const shards = Array.from({ length: store.shards }, (_, shard) => shard)
    expect((await store.readQueues({ shards, limit: 10 })).queues).toEqual([])
    expect(await store.nextDueAt()).toBeUndefined()
    await skip(store)
    const { items } = await store.listDeliveries({
      organizationId: 'acme',
      limit: 100,
      statuses: ['skipped'],
    })
    expect(items).toHaveLength(30)
  },
)

test('does not wait for a participant who is being erased, and removes the group later', async () => {
  const url = await createPostgresDatabase()
  const store = postgresStore(await openPostgres({ url }))
  const erasing = new pg.Client({ connectionString: url })
  await erasing.connect()
  onTestFinished(async () => {
    await erasing.end()
    await store.close()
  })
  await store.saveOrganization(organization())
  await store.createGroup(groupCreation('g1'))
  for (const digits of ['1', '2'])
    await store.saveParticipant({ participant: buildParticipant({ digits }), event: event() })
  const prune = () => store.prune({ before: 0, recordsBefore: Number.MAX_SAFE_INTEGER, limit: 10 })
  // An erasure may then wait for what pruning has locked.
  await erasing.query(`BEGIN; DELETE FROM wabakit.participants WHERE digits = '2'`)
  expect(await prune()).toBe(1)
  await erasing.query('COMMIT')
  expect(await prune()).toBe(1)
  expect(await store.findGroup('acme', 'g1')).toBeUndefined()
})
