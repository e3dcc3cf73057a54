import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/index.ts'
import { copiedTables } from '../../src/migrate-database/copied-tables.ts'
import { migrateDatabase, type Progress } from '../../src/migrate-database/migrate-database.ts'
import { openPostgres } from '../../src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { listenForWebhooks } from '../fixture.ts'
import { event, subscription } from '../records.ts'
import { createPostgresDatabase } from '../shared-cluster.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { fillDatabase } from './fill-database.ts'
import { readStore } from './read-store.ts'

/** Fills a SQLite file and migrates it. */
const migrate = async (url = 'http://127.0.0.1:9/later') => {
  const from = join(temporaryFolder(), 'wabakit.db')
  await fillDatabase(from, url)
  const to = await createPostgresDatabase()
  const progress: Progress[] = []
  const result = await migrateDatabase({ from, to, onProgress: (state) => progress.push(state) })
  return { from, to, progress, result }
}

const openSqlite = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => database.close())
  return database
}

const openTarget = async (url: string): Promise<Store> => {
  const store = postgresStore(await openPostgres({ url }))
  onTestFinished(store.close)
  return store
}

test('a store returns the same after the migration as before, page by page', async () => {
  const { from, to, result, progress } = await migrate()
  const sqlite = sqliteStore({ path: from })
  onTestFinished(sqlite.close)
  const before = await readStore(sqlite)

  expect(await readStore(await openTarget(to))).toEqual(before)

  const deliveries = before.each.flatMap((each) => each.deliveries.flat())
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(
    new Set(['waiting', 'pending', 'delivered', 'exhausted', 'skipped']),
  )
  expect(deliveries.filter(({ webhookId, eventId }) => webhookId !== eventId)).not.toHaveLength(0)
  expect(result.isEqual).toBe(true)
  expect(result.tables.filter(({ source }) => source.rows === 0)).toEqual([])
  const total = result.tables.reduce((sum, { source }) => sum + source.rows, 0)
  for (const step of ['reading', 'copying', 'comparing']) {
    const last = progress.filter((each) => each.step === step).at(-1)
    expect(last).toEqual({ step, table: 'figures', done: total, total })
  }
})

test('each delivery keeps its state, version and lane', async () => {
  const { from, to } = await migrate()
  const source = openSqlite(from)
  const before = source
    .prepare('select event, subscription, state, version from deliveries order by 1, 2')
    .all()
  expect(new Set(before.map(({ state }) => state))).toEqual(
    new Set(['fresh', 'started', 'passable', 'delivered', 'exhausted', 'skipped']),
  )
  const database = await openPostgres({ url: to })
  onTestFinished(database.close)

  const after = await database.query(
    `SELECT event::integer, subscription::integer, state, version FROM (
       SELECT event, subscription, state, version FROM wabakit.unfinished_deliveries
       UNION ALL SELECT event, subscription, state, version FROM wabakit.deliveries
     ) AS d ORDER BY 1, 2`,
  )
  expect(after).toEqual(before.map((row) => ({ ...row })))
  const lanes = await database.query(
    `SELECT p.lane = wabakit.lane_of(p.subscription, e.subject) AS same FROM wabakit.unfinished_deliveries p
     JOIN wabakit.events e ON e.position = p.event GROUP BY 1`,
  )
  expect(lanes).toEqual([{ same: true }])
})

test('a server on PostgreSQL continues, with lanes in order and the same webhook-ids', async () => {
  const endpoint = await listenForWebhooks()
  const { to } = await migrate(endpoint.url)
  const store = await openTarget(to)
  const { items } = await store.listSubscriptions('acme', { limit: 100 })
  const subscriptionId = items.find(({ url }) => url === endpoint.url)?.id
  const waiting = await store.listDeliveries({ organizationId: 'acme', subscriptionId, limit: 100 })

  const server = await startServer({ port: 0, database: to, logLevel: 'silent' })
  onTestFinished(server.close)
  await endpoint.arrived(4)

  expect(endpoint.arrivals.map(({ headers }) => headers['webhook-id'])).toEqual(
    waiting.items.map(({ webhookId }) => webhookId),
  )
  expect(endpoint.arrivals.map(({ body }) => JSON.parse(body).event)).toEqual([
    ...['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'],
  ])
})

test('records created after the migration come after the migrated ones', async () => {
  const { to } = await migrate()
  const store = await openTarget(to)
  const before = await store.listEvents({ organizationId: 'acme', limit: 1_000 })
  const subscriptions = await store.listSubscriptions('acme', { limit: 1_000 })
  const deliveries = await store.listDeliveries({ organizationId: 'acme', limit: 1_000 })

  await store.saveSubscription(subscription({ id: 'sub_new' }))
  const { id } = event({ id: 'evt_new' })
  await store.addEvent(event({ id }))

  const events = await store.listEvents({ organizationId: 'acme', limit: 1_000 })
  expect(events.items.map((each) => each.id)).toEqual([...before.items.map((each) => each.id), id])
  expect((await store.listSubscriptions('acme', { limit: 1_000 })).items.map((each) => each.id)).toEqual([
    ...subscriptions.items.map((each) => each.id),
    'sub_new',
  ])
  const page = { organizationId: 'acme', limit: 1_000, cursor: deliveries.nextCursor }
  const added = await store.listDeliveries(page)
  expect(new Set(added.items.map(({ eventId }) => eventId))).toEqual(new Set([id]))
  // The position of a removed subscription is not used again.
  const database = await openPostgres({ url: to })
  onTestFinished(database.close)
  const [row] = await database.query<{ position: number; event: number }>(
    `SELECT s.position::integer, e.position::integer AS event
     FROM wabakit.subscriptions s, wabakit.events e WHERE s.id = 'sub_new' AND e.id = 'evt_new'`,
  )
  // Four events were erased before the migration.
  expect(row).toEqual({ position: 8, event: before.items.length + 4 + 1 })
  expect(added.items.map(({ id: deliveryId }) => deliveryId)).toContain(`dlv_${row?.event}_8`)
})

test('every column is copied, except what PostgreSQL numbers itself', async () => {
  const { to } = await migrate()
  const database = await openPostgres({ url: to })
  onTestFinished(database.close)
  const columns = await database.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'wabakit' AND table_name = ANY ($1)`,
    [copiedTables.map(({ name }) => name)],
  )

  const copied = copiedTables.flatMap(({ name, columns, computed }) =>
    Object.keys({ ...columns, ...computed }).map((key) => `${name}.${key}`),
  )
  // All attempts are copied into their table.
  const attempt = ['started_at', 'duration_ms', 'url', 'status', 'response_body'].map(
    (key) => `deliveries.${key}`,
  )
  const numbered = ['unfinished_deliveries.xact', 'unfinished_deliveries.retries_of', 'subscriptions.changed']
  expect(columns.map(({ name }) => name).sort()).toEqual([...copied, ...attempt, ...numbered].sort())
})
