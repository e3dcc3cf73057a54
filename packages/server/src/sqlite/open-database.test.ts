import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { groupCreation, organization, start, subscription } from '../../test/sqlite-records.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'
import { sqliteStore } from './sqlite-store.ts'

const temporaryPath = (): string => join(temporaryFolder(), 'wabakit.db')

const edit = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** A process that has the database open until it is killed. */
const holdElsewhere = async (path: string) => {
  const code = `
    import { sqliteStore } from ${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url))}
    sqliteStore({ path: ${JSON.stringify(path)} })
    console.log('open')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--conditions=@wabakit/source', '--input-type=module', '-e', code])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

test('a commit is on the disk before it returns: write-ahead log with synchronous FULL', () => {
  const { database, close } = openDatabase(temporaryPath())
  onTestFinished(close)
  expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 })
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(database.prepare('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 })
})

test('what was written is there after closing and opening', async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  await first.saveOrganization(organization())
  await first.close()
  const second = sqliteStore({ path })
  expect(await second.findOrganization('acme')).toEqual(organization())
  await second.close()
})

test('a database of a newer version is refused, with both versions, and left as it is', async () => {
  const path = temporaryPath()
  await sqliteStore({ path }).close()
  edit(path, `pragma user_version = ${migrations.length + 1}`)
  const before = readFileSync(path)
  expect(() => sqliteStore({ path })).toThrow(
    expect.objectContaining({
      name: 'DatabaseVersionError',
      found: migrations.length + 1,
      supported: migrations.length,
      message: expect.stringContaining('newer version of wabakit'),
    }),
  )
  expect(readFileSync(path)).toEqual(before)
})

test('the database of another program is refused and left as it is', () => {
  const path = temporaryPath()
  edit(path, 'create table theirs (id integer)')
  const before = readFileSync(path)
  expect(() => sqliteStore({ path })).toThrow(/another program/)
  expect(readFileSync(path)).toEqual(before)
})

test('a file that is no database is refused and left as it is', () => {
  const path = temporaryPath()
  writeFileSync(path, 'not a database, but long enough to have a header of one hundred bytes'.repeat(20))
  const before = readFileSync(path)
  expect(() => sqliteStore({ path })).toThrow(
    expect.objectContaining({ name: 'DatabaseOpenError', message: expect.stringContaining('not a SQLite') }),
  )
  expect(readFileSync(path)).toEqual(before)
})

test('a path in a folder that does not exist is refused by name', () => {
  const path = join(temporaryFolder(), 'nowhere', 'wabakit.db')
  expect(() => sqliteStore({ path })).toThrow(
    expect.objectContaining({ name: 'DatabaseOpenError', path, message: expect.stringContaining(path) }),
  )
})

test('a failed opening leaves nothing locked', () => {
  const path = temporaryPath()
  edit(path, 'create table theirs (id integer)')
  expect(() => sqliteStore({ path })).toThrow(/another program/)
  edit(path, 'drop table theirs')
  return sqliteStore({ path }).close()
})

test('a second store on one file is refused, by whichever name of the file', async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  const link = `${path}.link`
  symlinkSync(path, link)
  for (const name of [path, link]) {
    expect(() => sqliteStore({ path: name })).toThrow(
      expect.objectContaining({ name: 'DatabaseInUseError', code: 'database_in_use', path }),
    )
  }
  await first.saveOrganization(organization())
  await first.close()
  await sqliteStore({ path }).close()
})

test('a second process on one file is refused, until the first is gone, even killed', async () => {
  const path = temporaryPath()
  const kill = await holdElsewhere(path)
  expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ name: 'DatabaseInUseError', path }))
  await kill()
  const store = sqliteStore({ path })
  expect(await store.saveOrganization(organization())).toBe('saved')
  await store.close()
}, 60_000)

test('other programs can read and copy the database while it is open', async () => {
  const path = temporaryPath()
  const store = sqliteStore({ path })
  await store.saveOrganization(organization())
  edit(path, `vacuum into '${path}.backup'`)
  await store.close()
  const copy = sqliteStore({ path: `${path}.backup` })
  expect(await copy.findOrganization('acme')).toEqual(organization())
  await copy.close()
})

test('what the process before had claimed is due at once', async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  await first.saveOrganization(organization())
  await first.saveSubscription(subscription())
  await first.createGroup(groupCreation('g1'))
  const claim = { now: start, leaseMs: 60_000, limit: 10, perSubscription: 10 }
  const [claimed] = await first.claimDeliveries({ ...claim, claimId: 'before' })
  await first.close()

  const second = sqliteStore({ path })
  const [again] = await second.claimDeliveries({ ...claim, claimId: 'after' })
  expect(again?.delivery.id).toBe(claimed?.delivery.id)
  const late = { deliveryId: String(claimed?.delivery.id), claimId: 'before', now: start, failingLimitMs: 1 }
  expect(await second.settleDelivery({ ...late, result: { kind: 'released' } })).toEqual({ outcome: 'stale' })
  await second.close()
})
