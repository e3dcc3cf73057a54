import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'

let cluster: PostgresCluster
let worker: PostgresDatabase
let watcher: PostgresDatabase

beforeAll(async () => {
  cluster = await createCluster()
  const url = await cluster.createDatabase()
  worker = await openPostgres({ url, onError: () => {} })
  watcher = await openPostgres({ url, onError: () => {} })
})

const stops: Array<() => void> = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

afterAll(async () => {
  await worker.close()
  await watcher.close()
  await cluster.remove()
})

const follow = async (database: PostgresDatabase, organizationId: string): Promise<unknown[]> => {
  const shown: unknown[] = []
  stops.push(await database.attempts.follow(organizationId, (attempt) => shown.push(attempt)))
  return shown
}

test('publishes attempts made before the followers were known', async () => {
  const shown = await follow(watcher, 'acme')
  worker.attempts.startPublishing()
  worker.attempts.publish('acme', { number: 1 })
  await expect.poll(() => shown, { timeout: 5_000 }).toEqual([{ number: 1 }])
})

test('publishes the attempts of each organization in order, and not to the process that made them', async () => {
  const [shown, others, own] = [
    await follow(watcher, 'acme'),
    await follow(watcher, 'other'),
    await follow(worker, 'acme'),
  ]
  const attempts = Array.from({ length: 100 }, (_, number) => ({ number, url: 'x'.repeat(300) }))
  for (const attempt of attempts) worker.attempts.publish('acme', attempt)
  worker.attempts.publish('other', { number: 0 })
  await expect.poll(() => others, { timeout: 5_000 }).toEqual([{ number: 0 }])
  expect(shown).toEqual(attempts)
  expect(own).toEqual([])
})

test('drops an attempt that does not fit into a message', async () => {
  const shown = await follow(watcher, 'acme')
  worker.attempts.publish('acme', { url: 'x'.repeat(8_000) })
  worker.attempts.publish('acme', { url: 'short' })
  await expect.poll(() => shown, { timeout: 5_000 }).toEqual([{ url: 'short' }])
})

test('continues after connections break', async () => {
  const shown = await follow(watcher, 'acme')
  await worker.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'`)
  const publish = (): unknown[] => {
    worker.attempts.publish('acme', { number: 7 })
    return shown
  }
  await expect.poll(publish, { timeout: 10_000, interval: 100 }).toContainEqual({ number: 7 })
}, 15_000)
