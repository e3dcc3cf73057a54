import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

let cluster: PostgresCluster
let api: PostgresDatabase
let worker: PostgresDatabase

beforeAll(async () => {
  cluster = await createCluster()
  const url = await cluster.createDatabase()
  api = await openPostgres({ url })
  worker = await openPostgres({ url, onError: () => {} })
  await postgresStore(api).saveOrganization(organization())
  await postgresStore(api).saveSubscription(subscription())
})

const stops: Array<() => void> = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

afterAll(async () => {
  await api.close()
  await worker.close()
  await cluster.remove()
})

const addEvent = () => postgresStore(api).addEvent(event())

/** Counts the wake-ups of the worker, from when it listens on. */
const countWakes = async (): Promise<() => number> => {
  let wakes = 0
  stops.push(postgresStore(worker).onDue(() => void wakes++))
  await expect.poll(() => wakes, { timeout: 5_000 }).toBeGreaterThan(0)
  const first = wakes
  return () => wakes - first
}

const listeners = () =>
  api.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN wabakit_due' OR query = 'SELECT 1'`,
  )

test('wakes a worker of another process when a delivery becomes due', async () => {
  const wakes = await countWakes()
  await addEvent()
  await expect.poll(wakes, { timeout: 5_000 }).toBeGreaterThan(0)
})

test('combines deliveries that become due together into few wake-ups', async () => {
  const wakes = await countWakes()
  await Promise.all(Array.from({ length: 100 }, addEvent))
  await expect.poll(wakes, { timeout: 5_000 }).toBeGreaterThan(0)
  expect(wakes()).toBeLessThan(50)
})

test('wakes other processes at most every 250 ms while a worker of this one can claim', async () => {
  stops.push(postgresStore(api).onDue(() => true))
  const wakes = await countWakes()
  const start = performance.now()
  while (performance.now() - start < 600) await addEvent()
  await expect.poll(wakes, { timeout: 5_000 }).toBeGreaterThan(0)
  expect(wakes()).toBeLessThanOrEqual(Math.ceil((performance.now() - start) / 250))
})

test('wakes other processes soon when the workers of this one cannot claim', async () => {
  let canClaim = true
  stops.push(postgresStore(api).onDue(() => canClaim))
  const wakes = await countWakes()
  await addEvent()
  canClaim = false
  const start = performance.now()
  while (performance.now() - start < 600) await addEvent()
  expect(wakes()).toBeGreaterThan((performance.now() - start) / 250)
})

test('listens again after a broken connection, and immediately wakes the workers', async () => {
  const wakes = await countWakes()
  await api.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN wabakit_due'`)
  await expect.poll(wakes, { timeout: 5_000 }).toBeGreaterThan(0)
  const before = wakes()
  await addEvent()
  await expect.poll(wakes, { timeout: 5_000 }).toBeGreaterThan(before)
}, 15_000)

test('closes the connection when nothing listens', async () => {
  await countWakes()
  expect((await listeners()).length).toBe(1)
  for (const stop of stops.splice(0)) stop()
  await expect.poll(listeners, { timeout: 5_000 }).toEqual([])
})
