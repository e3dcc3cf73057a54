import type { Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { beginDue, delivered, gone, settle } from '../../../test/attempts.ts'
import { event, groupCreation, organization, subscription } from '../../../test/records.ts'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

let database: PostgresDatabase
let store: Store
/** Another session. */
let other: pg.Client

beforeAll(async () => {
  const url = await createPostgresDatabase()
  database = await openPostgres({ url })
  store = postgresStore(database)
  other = new pg.Client({ connectionString: url })
  await other.connect()
})

afterAll(async () => {
  await other.end()
  await store.close()
})

beforeEach(async () => {
  for (const id of ['acme', 'other']) {
    await store.removeOrganization(id)
    await store.saveOrganization(organization({ id }))
  }
  await store.saveSubscription(subscription())
})

test('combines concurrent changes into few transactions', async () => {
  const groups = Array.from({ length: 60 }, (_, index) => groupCreation(`together-${index}`))
  const made = await Promise.all(groups.map(store.createGroup))
  expect(new Set(made.map(({ outcome }) => outcome))).toEqual(new Set(['created']))
  expect(made.map(({ group }) => group)).toEqual(groups.map(({ group }) => group))

  const [seen] = await database.query(
    `SELECT count(*)::integer AS groups, count(DISTINCT xmin::text)::integer AS transactions FROM wabakit.groups`,
  )
  expect(seen).toEqual({ groups: 60, transactions: 2 })
})

test('makes the other concurrent changes if one of them is invalid', async () => {
  const published = [event(), event({ organizationId: 'nobody' }), event()]
  const outcomes = await Promise.allSettled(published.map(store.addEvent))
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { name: 'RecordNotFoundError', id: 'nobody' } },
    { status: 'fulfilled' },
  ])
  const { items } = await store.listEvents({ organizationId: 'acme', limit: 10 })
  expect(items).toHaveLength(2)
})

test('keeps the order of concurrent events in a lane', async () => {
  const published = Array.from({ length: 20 }, () => event({ subject: 'group:same' }))
  await Promise.all(published.map(store.addEvent))
  const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 100 })
  expect(items.map(({ eventId }) => eventId)).toEqual(published.map(({ id }) => id))
  expect(items.map(({ status }) => status)).toEqual(['pending', ...Array(19).fill('waiting')])
})

test('a subscription that is being removed does not delay changes that are concurrent with its event', async () => {
  await other.query('BEGIN')
  await other.query(
    `SELECT pg_advisory_xact_lock(wabakit.lock_key('subscription', position::text)) FROM wabakit.subscriptions`,
  )
  let isHeld = true
  const held = store.addEvent(event()).finally(() => {
    isHeld = false
  })
  await store.addEvent(event({ organizationId: 'other' }))
  expect(isHeld).toBe(true)
  await other.query('COMMIT')
  await held
})

test('no result waits until the backlog of a subscription that is gone is skipped', async () => {
  await store.saveSubscription(subscription({ id: 'sub_2', digits: '2' }))
  const backlog = Array.from({ length: 1_500 }, () => event({ subject: 'group:same', occurredAt: 0 }))
  await Promise.all([...backlog, event({ digits: '2', occurredAt: 1 })].map(store.addEvent))
  const [first, last] = await beginDue(store)
  if (first === undefined || last?.subscription.id !== 'sub_2') throw new Error('the deliveries are not due')
  const countUnfinished = async () =>
    (await database.query('SELECT FROM wabakit.unfinished_deliveries')).length

  // The rest of the backlog waits for this lock.
  await other.query('BEGIN')
  await other.query(`SELECT pg_advisory_xact_lock(wabakit.lock_key('removals', ''))`)
  await settle(store, first, gone)
  expect(await settle(store, last, delivered)).toMatchObject({ outcome: 'settled' })
  expect(await countUnfinished()).toBeGreaterThan(0)
  await other.query('COMMIT')
  await expect.poll(countUnfinished).toBe(0)
})
