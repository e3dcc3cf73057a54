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

/** Opens two stores on one file by removing the first one's lock file. */
const openTwice = async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const first = open(path)
  await first.saveOrganization(organization())
  await first.saveSubscription(subscription())
  await first.createGroup(groupCreation('g1'))
  rmSync(`${path}-lock`)
  return { path, first, second: open(path) }
}

test('a store whose database was taken over writes nothing more and rejects each call', async () => {
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

test('a store whose database was taken over does not report due times', async () => {
  const { first, second } = await openTwice()
  await expect(first.nextDueAt()).rejects.toEqual(takenOver)
  expect(await second.nextDueAt()).toBe(start)
})

test('the store that took over a database continues when the other one is closed', async () => {
  const { first, second } = await openTwice()
  await first.close()
  expect((await second.createGroup(groupCreation('g2'))).outcome).toBe('created')
})

test('a copy made while a store is open can be opened, and the store continues', async () => {
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
