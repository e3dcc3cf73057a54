import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StorageUnavailableError } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { beginDue } from '../../../test/attempts.ts'
import { groupCreation, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

const open = (path: string) => {
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  return store
}

const takenOver = expect.objectContaining({
  name: 'StorageUnavailableError',
  message: expect.stringContaining('Another server has opened this database'),
})

/** Two stores on one file, because somebody removed the lock file of the first. */
const openTwice = async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const first = open(path)
  await first.saveOrganization(organization())
  await first.saveSubscription(subscription())
  await first.createGroup(groupCreation('g1'))
  rmSync(`${path}-lock`)
  return { path, first, second: open(path) }
}

test('a store whose database another has taken over writes nothing more and tells each caller', async () => {
  const { first, second } = await openTwice()
  const outcomes = await Promise.allSettled([
    first.createGroup(groupCreation('g2')),
    first.createGroup(groupCreation('g3')),
    beginDue(first),
  ])
  expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: takenOver }))
  expect(outcomes[0]).toMatchObject({ reason: expect.any(StorageUnavailableError) })
  expect(await second.findGroup('acme', 'g2')).toBeUndefined()
  expect((await beginDue(second)).map(({ event }) => event.id)).toEqual(['evt_g1'])
})

test('a store whose database another has taken over does not say when something is due', async () => {
  const { first, second } = await openTwice()
  await expect(first.nextDueAt()).rejects.toEqual(takenOver)
  expect(await second.nextDueAt()).toBe(start)
})

test('the store that took a database over goes on when the other one is closed', async () => {
  const { first, second } = await openTwice()
  await first.close()
  expect((await second.createGroup(groupCreation('g2'))).outcome).toBe('created')
})

test('a copy that was made while a store was open can be opened, and the store goes on', async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = open(path)
  await store.saveOrganization(organization())
  const other = new DatabaseSync(path)
  other.exec(`vacuum into '${path}.backup'`)
  other.close()
  const copy = open(`${path}.backup`)
  expect((await copy.createGroup(groupCreation('g1'))).outcome).toBe('created')
  expect((await store.createGroup(groupCreation('g1'))).outcome).toBe('created')
})
