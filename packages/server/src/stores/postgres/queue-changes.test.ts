import type { QueueChange, Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { event, organization, subscription } from '../../../test/records.ts'
import { awaitedAdvisoryLocks, createPostgresDatabase } from '../../../test/shared-cluster.ts'
import type { NotificationListener } from './notifications.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { createQueueChanges } from './queue-changes.ts'
import { mapTable } from './records.ts'
import { prepareSession } from './session.ts'

const now = 0

let databases: PostgresDatabase[]
let api: Store
let worker: Store
let slow: pg.Client
const changes: QueueChange[] = []

beforeAll(async () => {
  const url = await createPostgresDatabase()
  databases = [await openPostgres({ url }), await openPostgres({ url })]
  const [first, second] = databases.map(postgresStore)
  if (first === undefined || second === undefined) throw new Error('no store is open')
  api = first
  worker = second
  slow = new pg.Client({ connectionString: url })
  await slow.connect()
  await prepareSession(slow, 10_000)
  await api.saveOrganization(organization())
  await api.saveSubscription(subscription())
  worker.listen((each) => changes.push(each))
  const { shards } = await worker.renewWorker({ worker: 'w', leaseMs: 60_000, now })
  await worker.takeShards({ worker: 'w', shards, now })
  // The first change reports that earlier ones may have been missed. From then on, none is missed.
  await vi.waitFor(() => expect(changes.length).toBeGreaterThan(0), 120_000)
})

afterAll(async () => {
  await slow.end()
  for (const database of databases) await database.close()
})

const shards = Array.from({ length: 64 }, (_, shard) => shard)
const add = (id: string, subject: string) => event({ id, subject })
const addSlowly = (id: string, subject: string) =>
  slow.query('SELECT add_events($1, $2)', [
    ['acme'],
    JSON.stringify([mapTable('events').toRow(add(id, subject))]),
  ])

/** Returns the changes of one kind since the last call. */
const take = (kind: QueueChange['kind']): QueueChange[] =>
  changes.splice(0).filter((each) => each.kind === kind)

test('a worker learns of changes by another process about heads, deliveries waiting behind them, and changes by hand', async () => {
  take('head')
  await api.addEvent(add('first', 'group:1'))
  await api.addEvent(add('second', 'group:1'))
  await expect.poll(() => changes.map(({ kind }) => kind)).toEqual(['head', 'appended'])
  take('head')
  const { items } = await api.listDeliveries({ organizationId: 'acme', limit: 1 })
  await api.cancelDelivery({ organizationId: 'acme', deliveryId: items[0]?.id ?? '', now })
  await expect.poll(() => changes.map(({ kind }) => kind)).toEqual(['changed'])
  take('changed')
})

test('deliveries that a slow transaction commits after later ones are reported, and the others are not repeated', async () => {
  await slow.query('BEGIN')
  await addSlowly('late', 'group:late')
  await api.addEvent(add('early', 'group:early'))
  await expect.poll(() => changes.length).toBe(1)
  const [early] = take('head')
  await slow.query('COMMIT')
  await api.addEvent(add('next', 'group:next'))
  await expect.poll(() => changes.length).toBe(2)
  const positions = [early, ...take('head')].map((each) => each?.kind === 'head' && each.head.position)
  const [first, late, next] = positions
  expect(late).toBeLessThan(Number(first))
  expect(next).toBeGreaterThan(Number(first))
})

test('a notification that arrives while changes are read causes another read', async () => {
  const [database] = databases
  if (database === undefined) throw new Error('no database is open')
  let listener: NotificationListener | undefined
  const reads: Array<() => void> = []
  const reader = createQueueChanges({
    // The rows do not contain what is committed before the read ends.
    read: async (...query) => {
      const rows = await database.read(...query)
      await new Promise<void>((resolve) => reads.push(resolve))
      return rows as never
    },
    notifications: {
      listen: (_, added) => {
        listener = added
        return () => {}
      },
    },
    notify: async () => {},
    sender: 'reader',
  })
  const kinds: string[] = []
  reader.setShards(new Set(shards))
  reader.listen(({ kind }) => kinds.push(kind))
  const endRead = async (): Promise<void> => {
    await expect.poll(() => reads.length).toBe(1)
    reads.shift()?.()
  }
  listener?.onListening()
  await endRead()
  await expect.poll(() => kinds).toEqual(['missed'])
  await api.addEvent(add('before', 'group:before'))
  listener?.onMessage('another process')
  await expect.poll(() => reads.length).toBe(1)
  await api.addEvent(add('meanwhile', 'group:meanwhile'))
  listener?.onMessage('another process')
  await endRead()
  await endRead()
  await expect.poll(() => kinds).toEqual(['missed', 'head', 'head'])
})

test('a sweep lists exactly the changes committed since its cursor, however late', async () => {
  const list = (since?: string) => worker.readQueues({ shards, since, limit: 10 })
  await slow.query('BEGIN')
  await addSlowly('later', 'group:later')
  const [open] = (
    await slow.query<{ position: number }>(
      'SELECT last_value::integer AS position FROM wabakit.event_positions',
    )
  ).rows
  await api.addEvent(add('between', 'group:between'))
  const { cursor } = await list()
  expect((await list(cursor)).queues).toEqual([])
  await slow.query('COMMIT')
  const { queues, cursor: after } = await list(cursor)
  expect(queues.map(({ from }) => from)).toEqual([open?.position])
  expect((await list(after)).queues).toEqual([])
})

test('a lane has its events in commit order, because the later one waits', async () => {
  await slow.query('BEGIN')
  await addSlowly('a', 'group:same')
  const waiting = api.addEvent(add('b', 'group:same'))
  const isWaiting = async () => ((await databases[0]?.query(awaitedAdvisoryLocks)) ?? []).length > 0
  await expect.poll(isWaiting).toBe(true)
  await slow.query('COMMIT')
  await waiting
  const { items } = await api.listEvents({ organizationId: 'acme', subject: 'group:same', limit: 10 })
  expect(items.map(({ id }) => id)).toEqual(['a', 'b'])
})
