import { expect, test } from 'vitest'
import { createSqliteEngine } from '../src/growth/sqlite-engine.ts'

test('a backlog has the columns expected by the store', async () => {
  const engine = createSqliteEngine()
  const contents = { deliveries: 3, subscriptions: 1, subject: `'group:' || n`, subscription: '1' }
  const { store, remove } = await engine.fill({ ...contents, status: `'pending'`, dueAt: 'n' })
  const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10 })
  expect(items.map(({ status, subject }) => [status, subject])).toEqual([
    ['pending', 'group:1'],
    ['pending', 'group:2'],
    ['pending', 'group:3'],
  ])
  await remove()
  await engine.close()
})
