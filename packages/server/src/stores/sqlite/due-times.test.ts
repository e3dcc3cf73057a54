import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { groupEvent, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { createDueTimes } from './due-times.ts'
import { createLeases } from './leases.ts'
import { openDatabase } from './open-database.ts'
import { createPending } from './pending.ts'
import { sqliteStore } from './sqlite-store.ts'
import { revert, type Undo } from './undo.ts'

/** The due times of a database in which one delivery of one subscription is due. */
const dueTimesOfOne = async (undo: Undo = []) => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path })
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  await store.addEvent(groupEvent('1', { occurredAt: start }))
  await store.close()
  const { database, close } = openDatabase(path)
  onTestFinished(close)
  return createDueTimes({
    database,
    pending: createPending({ database, leases: createLeases(undo), undo }),
    undo,
  })
}

test('a due subscription is returned once, until it is deferred or added', async () => {
  const times = await dueTimesOfOne()
  expect(times.takeDue(start - 1)).toBeUndefined()
  expect(times.takeDue(start)).toBe(1)
  expect(times.takeDue(start)).toBeUndefined()
  times.add({ subscription: 1, dueAt: start + 1 })
  expect(times.takeDue(start)).toBeUndefined()
  expect(times.takeDue(start + 1)).toBe(1)
  times.defer(1, start + 5)
  expect(times.takeDue(start + 4)).toBeUndefined()
  expect(times.takeDue(start + 5)).toBe(1)
})

test('a rollback makes deferred subscriptions due again', async () => {
  const undo: Undo = []
  const times = await dueTimesOfOne(undo)
  times.defer(1)
  expect(times.takeDue(start)).toBeUndefined()
  revert(undo)
  expect(times.takeDue(start)).toBe(1)
  revert(undo)
  expect(times.takeDue(start)).toBe(1)
  expect(times.earliest()).toBe(start)
})

test('an added time makes a subscription due earlier, never later', async () => {
  const times = await dueTimesOfOne()
  times.add({ subscription: 1, dueAt: start + 5 })
  times.add({ subscription: 1, dueAt: start - 5 })
  expect(times.takeDue(start - 5)).toBe(1)
})

test('a claim ignores a subscription without free slots until one is free', async () => {
  const times = await dueTimesOfOne()
  times.defer(1, start, start + 60_000)
  expect(times.takeDue(start + 59_999)).toBeUndefined()
  times.wake(1)
  expect(times.takeDue(start)).toBe(1)
})
