import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DeliveryQuery, EventQuery } from '@wabakit/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

/** Returns every statement that a store prepares, including all forms of lists, with its query plan. */
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

test('no statement reads a whole table or sorts its rows', async () => {
  const plans = await explainAll()
  expect(plans.size).toBeGreaterThan(50)
  const costly = [...plans].flatMap(([sql, plan]) =>
    plan
      .filter((step) => /^SCAN (?!json_each|CONSTANT|busy|lane|\(subquery)|TEMP B-TREE/.test(step))
      .map((step) => `${step}: ${sql}`),
  )
  const atOpening = ['select count(*) from sqlite_schema']
  const countedUpToALimit = [
    'SCAN deliveries USING COVERING INDEX lanes',
    'SCAN subscriptions USING INDEX troubledSubscriptions',
  ]
  expect(costly).toEqual([...atOpening, ...countedUpToALimit].map((each) => expect.stringContaining(each)))
})

/** Lists the query plan steps of the statements that contain a string. */
const listSteps = async (fragment: string): Promise<string[]> =>
  [...(await explainAll())].filter(([sql]) => sql.includes(fragment)).flatMap(([, plan]) => plan)

test('heads are found in index order, and the deliveries that block them with lookups in the index of lanes', async () => {
  const [first, ...blockers] = await listSteps('d.event > ? order by d.event')
  expect(first).toBe('SEARCH d USING INDEX freshDeliveries (subscription=? AND event>?)')
  for (const step of blockers.filter((each) => each.includes(' b '))) {
    expect(step).toBe(
      'SEARCH b USING COVERING INDEX lanes (subscription=? AND subject=? AND state=? AND event<?)',
    )
  }
})

test('the first delivery of a lane is found with one lookup in the index of lanes', async () => {
  const [first] = await listSteps('deliveries d indexed by lanes')
  expect(first).toBe('SEARCH d USING INDEX lanes (subscription=? AND subject=? AND state=?)')
})

test('retries are read and counted with ranges of their index', async () => {
  expect((await listSteps('order by d.dueAt, d.event')).at(0)).toBe(
    'SEARCH d USING INDEX retries (subscription=?)',
  )
  for (const range of ['d.dueAt <= ?', 'd.dueAt > ?']) {
    expect(await listSteps(range)).toContainEqual(
      expect.stringMatching(/^SEARCH d USING COVERING INDEX retries \(subscription=\? AND dueAt[<>]\?\)$/),
    )
  }
})

test('subscriptions with unfinished deliveries are found with one index lookup each', async () => {
  const steps = await listSteps('select subscription from busy')
  const looks = steps.filter((step) => step.includes('deliveries'))
  expect(looks).toEqual(Array(2).fill('SEARCH deliveries USING COVERING INDEX lanes (subscription>?)'))
})
