import type { Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { event, organization } from '../../../test/records.ts'
import { awaitedAdvisoryLocks, createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { mapTable } from './records.ts'
import { prepareSession } from './session.ts'

let database: PostgresDatabase
let store: Store
let slow: pg.Client

beforeAll(async () => {
  const url = await createPostgresDatabase()
  database = await openPostgres({ url })
  store = postgresStore(database)
  slow = new pg.Client({ connectionString: url })
  await slow.connect()
  await prepareSession(slow, 10_000)
  await store.saveOrganization(organization())
})

afterAll(async () => {
  await slow.end()
  await store.close()
})

const isAnyoneWaiting = async (): Promise<boolean> => (await database.query(awaitedAdvisoryLocks)).length > 0

test('a follower gets events that a slow transaction commits after later ones', async () => {
  const [first, second] = [event(), event()]
  await slow.query('BEGIN')
  await slow.query('SELECT add_events($1, $2)', [['acme'], JSON.stringify([mapTable('events').toRow(first)])])
  await store.addEvent(second)

  const newest = await store.listEvents({ organizationId: 'acme', limit: 10, order: 'newest_first' })
  expect(newest.items).toEqual([second])
  const followed = store.listEvents({ organizationId: 'acme', limit: 10 })
  await expect.poll(isAnyoneWaiting).toBe(true)
  await slow.query('COMMIT')
  expect((await followed).items).toEqual([first, second])
})

test('a follower gets every event, in one order, while many are written', async () => {
  const published = Array.from({ length: 300 }, () => event({ subject: 'group:same' }))
  const queue = [...published]
  const write = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await store.addEvent(next)
  }
  const writing = Promise.all(Array.from({ length: 8 }, write))
  const seen: string[] = []
  let cursor: string | undefined
  while (seen.length < published.length) {
    const query = { organizationId: 'acme', subject: 'group:same', limit: 20, cursor }
    const { items, nextCursor } = await store.listEvents(query)
    seen.push(...items.map(({ id }) => id))
    cursor = nextCursor ?? cursor
  }
  await writing
  expect(seen.toSorted()).toEqual(published.map(({ id }) => id).toSorted())
  const { items } = await store.listEvents({ organizationId: 'acme', subject: 'group:same', limit: 1_000 })
  expect(items.map(({ id }) => id)).toEqual(seen)
})

test('rejects a cursor that it did not return', async () => {
  const query = { organizationId: 'acme', limit: 1 }
  for (const cursor of ['', 'x', '1.x', '-1', '1;2', '9'.repeat(30)]) {
    await expect(store.listEvents({ ...query, cursor })).rejects.toMatchObject({ name: 'InputError' })
    await expect(store.listDeliveries({ ...query, cursor })).rejects.toMatchObject({ name: 'InputError' })
  }
})
