import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DeliveryQuery, EventQuery } from '@wabakit/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

/** Every statement that a store prepares, lists of each form included, and how SQLite would run it. */
const explainAll = async (): Promise<Map<string, string[]>> => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  const store = sqliteStore({ path })
  const page = { organizationId: 'acme', limit: 1 }
  for (const order of ['oldest_first', 'newest_first'] as const) {
    const eventFilters: Partial<EventQuery>[] = [
      {},
      { eventId: 'e' },
      { names: ['n'] },
      { subject: 's' },
      { subscriptionId: 's', maxExamined: 9 },
      { digits: '1', text: 't', occurredFrom: 1, maxExamined: 9 },
    ]
    for (const filter of eventFilters) await store.listEvents({ ...page, ...filter, order, cursor: '1' })
    const filters: Partial<DeliveryQuery>[] = [
      {},
      { deliveryId: 'dlv_1_1' },
      { eventId: 'e' },
      { subscriptionId: 's' },
      { statuses: ['exhausted', 'skipped'] },
      { statuses: ['delivered'] },
      { subscriptionId: 's', statuses: ['skipped'], occurredFrom: 1, occurredBefore: 2 },
      { subject: 's', subscriptionId: 's' },
      { names: ['n'], text: 't', maxExamined: 9 },
      { subject: 's', names: ['n'], maxExamined: 9 },
      { subscriptionId: 's', digits: '1', maxExamined: 9 },
      { statuses: ['skipped'], text: 't', maxExamined: 9 },
    ]
    for (const filter of filters) await store.listDeliveries({ ...page, ...filter, order, cursor: '1.1' })
  }
  const statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))]
  prepare.mockRestore()
  await store.close()

  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  database.function('leaseEnd', { varargs: true }, () => null)
  const explain = (sql: string): string[] =>
    database
      .prepare(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
  return new Map(
    statements
      .filter((sql) => /^\s*(?:with|select|insert|update|delete)/.test(sql))
      .map((sql) => [sql, explain(sql)]),
  )
}

test('no statement reads a whole table, or sorts what it found', async () => {
  const plans = await explainAll()
  expect(plans.size).toBeGreaterThan(50)
  const costly = [...plans].flatMap(([sql, plan]) =>
    plan
      .filter((step) => /^SCAN (?!json_each|CONSTANT|busy|\(subquery)|TEMP B-TREE/.test(step))
      .map((step) => `${step}: ${sql}`),
  )
  const atOpening = ['select count(*) from sqlite_schema', 'select seq from subscriptions']
  const countedUpToALimit = [
    'SCAN deliveries USING COVERING INDEX waitingDeliveries',
    'SCAN subscriptions USING INDEX troubledSubscriptions',
  ]
  expect(costly).toEqual([...atOpening, ...countedUpToALimit].map((each) => expect.stringContaining(each)))
})

test('a claim reads a range of the index of what is pending', async () => {
  const plans = await explainAll()
  const listSteps = (fragment: string): string[] =>
    [...plans].filter(([sql]) => sql.includes(fragment)).flatMap(([, plan]) => plan)
  expect(listSteps('select dueAt, event from deliveries')).toEqual([
    'SEARCH deliveries USING COVERING INDEX pendingDeliveries (subscription=? AND (dueAt,event)>(?,?))',
  ])
})

test('the backlog is counted by ranges of the same index', async () => {
  const plans = await explainAll()
  const counts = [...plans].filter(([sql]) => sql.startsWith('with recursive busy'))
  expect(counts.length).toBe(2)
  for (const [, plan] of counts) {
    expect(plan).toContainEqual(
      expect.stringMatching(
        /^SEARCH d USING COVERING INDEX pendingDeliveries \(subscription=\? AND dueAt[<>]\?\)$/,
      ),
    )
  }
})

test('who holds a lane, and who is next, are found by one look into the index of lanes', async () => {
  const plans = await explainAll()
  for (const laneState of ['holding', 'waiting']) {
    const [plan] = [...plans].filter(
      ([sql]) => /^select/.test(sql) && sql.includes(`laneState = '${laneState}'`),
    )
    expect(plan?.[1][0]).toMatch(/COVERING INDEX lanes \(subscription=\? AND subject=\? AND laneState=\?\)/)
  }
})
