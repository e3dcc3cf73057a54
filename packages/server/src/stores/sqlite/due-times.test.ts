import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { groupEvent, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { createDueTimes } from './due-times.ts'
import { openDatabase } from './open-database.ts'
import { sqliteStore } from './sqlite-store.ts'

/** The due times of a database in which one delivery of one subscription is due. */
const dueTimesOfOne = async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path })
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  await store.addEvent(groupEvent('1', { occurredAt: start }))
  await store.close()
  const { database, close } = openDatabase(path)
  onTestFinished(close)
  return createDueTimes(database)
}

test('a subscription that has something due is given to one claim, until it is put off or noted', async () => {
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

test('what was put off in a transaction that is rolled back is looked at again', async () => {
  const times = await dueTimesOfOne()
  times.defer(1)
  expect(times.takeDue(start)).toBeUndefined()
  times.rollback()
  expect(times.takeDue(start)).toBe(1)
  times.rollback()
  expect(times.takeDue(start)).toBe(1)
  expect(times.earliest()).toBe(start)
})

test('what was put off in a transaction that is committed stays so', async () => {
  const times = await dueTimesOfOne()
  times.defer(1, start + 5)
  times.commit()
  times.rollback()
  expect(times.takeDue(start + 4)).toBeUndefined()
  expect(times.takeDue(start + 5)).toBe(1)
})

test('a noted time makes a subscription due earlier, never later', async () => {
  const times = await dueTimesOfOne()
  times.add({ subscription: 1, dueAt: start + 5 })
  times.add({ subscription: 1, dueAt: start - 5 })
  expect(times.takeDue(start - 5)).toBe(1)
})

test('a subscription without free slots is not looked at until one of them is free', async () => {
  const times = await dueTimesOfOne()
  times.defer(1, start, start + 60_000)
  expect(times.takeDue(start + 59_999)).toBeUndefined()
  times.wake(1)
  expect(times.takeDue(start)).toBe(1)
})
